import type { FastifyInstance } from 'fastify';
import { ProtocolError } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Bodies are JSON in UTF-8, and nothing else: a form or plain text, which a page of another site could send without
 * being asked, is refused before it is read.
 *
 * @param mayBeEmpty an empty body is then undefined instead of malformed
 */
export function parseJsonBody(app: FastifyInstance, { mayBeEmpty = false } = {}): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer): Promise<unknown> => {
      if (mayBeEmpty && body.length === 0) return undefined;
      try {
        return JSON.parse(utf8.decode(body));
      } catch {
        throw new ProtocolError('malformed_json');
      }
    },
  );
}
