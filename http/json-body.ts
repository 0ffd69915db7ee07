import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProtocolError } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Bodies are JSON in UTF-8, and nothing else: a form or plain text, which a page of another site could send without
 * being asked, is refused before it is read.
 *
 * @param mayBeEmpty whether an empty body is undefined instead of malformed
 */
export function parseJsonBody(
  app: FastifyInstance,
  mayBeEmpty: (request: FastifyRequest) => boolean = () => false,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
      if (body.length === 0 && mayBeEmpty(request)) return undefined;
      try {
        return JSON.parse(utf8.decode(body));
      } catch {
        throw new ProtocolError('malformed_json');
      }
    },
  );
}
