import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AccessError } from '#core';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** JSON, encoded as UTF-8, and nothing else: a body that is not exactly that is refused rather than guessed at. */
export function parseJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse);

  async function parse(_request: FastifyRequest, body: Buffer): Promise<unknown> {
    try {
      return JSON.parse(utf8.decode(body));
    } catch {
      throw new AccessError('malformed_json');
    }
  }
}
