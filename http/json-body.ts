import type { FastifyInstance, FastifyRequest } from 'fastify';
import { maxPushedRecords, parseExactJson, unreadableRecord } from '#core';
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
        const text = utf8.decode(body);
        return request.routeOptions.config.takesRecords ? parseExactJson(text) : JSON.parse(text);
      } catch {
        throw new ProtocolError('malformed_json');
      }
    },
  );
}

/** On routes that take records, a body may be a record a line; elsewhere such a body is refused as any other type. */
export function parseRecordLines(app: FastifyInstance): void {
  app.addContentTypeParser<Buffer>(
    'application/x-ndjson',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
      if (!request.routeOptions.config.takesRecords)
        throw new ProtocolError('unsupported_media_type');
      return { records: readLines(body) };
    },
  );
}

/** No further than one more than may be taken. */
function readLines(body: Buffer): unknown[] {
  const records: unknown[] = [];
  for (const line of decodeText(body).split('\n')) {
    if (line.trim() === '') continue;
    records.push(parseLine(line));
    if (records.length > maxPushedRecords) break;
  }
  return records;
}

function decodeText(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new ProtocolError('malformed_json');
  }
}

function parseLine(line: string): unknown {
  try {
    return parseExactJson(line);
  } catch {
    return unreadableRecord;
  }
}
