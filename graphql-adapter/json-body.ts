import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AccessError } from '#core';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * JSON, encoded as UTF-8, and nothing else. A form or plain text, which a page of another site could send without
 * being asked, is refused before it is read.
 */
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
