import type { FastifyReply, FastifyRequest } from 'fastify';
import { serveStatic } from '#http';

export const scriptType = 'text/javascript; charset=utf-8';

/** Bytes that a browser keeps for good, because their address says their version. */
export const serveAsset = (
  type: string,
  bytes: Buffer,
): ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) => {
  const headers = { 'cache-control': 'public, max-age=31536000, immutable' };
  return serveStatic(() => ({ type, bytes, headers }));
};
