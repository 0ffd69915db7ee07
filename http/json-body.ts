import type { FastifyInstance, FastifyRequest } from 'fastify';
import { maxPushedRecords, parseExactJson, unreadableRecord } from '#core';
import { ProtocolError } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Accepts only JSON in UTF-8. A form or plain text, which a page of another site could send, is refused before the body
 * is read.
 *
 * @param mayBeEmpty true to parse an empty body as undefined
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
      const { acceptsRecords } = request.routeOptions.config;
      if (acceptsRecords) checkElements(body);
      try {
        const text = utf8.decode(body);
        return acceptsRecords ? parseExactJson(text) : JSON.parse(text);
      } catch {
        throw new ProtocolError('malformed_json');
      }
    },
  );
}

/** Routes that take records also accept one record per line. Other routes refuse that type. */
export function parseRecordLines(app: FastifyInstance): void {
  app.addContentTypeParser<Buffer>(
    'application/x-ndjson',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
      if (!request.routeOptions.config.acceptsRecords)
        throw new ProtocolError('unsupported_media_type');
      checkElements(body);
      return { records: readLines(body) };
    },
  );
}

/** A thousand records of fifty fields. Each element takes a call, so half a million would block other callers. */
const maxElements = 50_000;

const comma = 0x2c;

/** Counts commas, including those in strings. */
function checkElements(body: Buffer): void {
  let elements = 1;
  for (let at = body.indexOf(comma); at >= 0; at = body.indexOf(comma, at + 1)) elements += 1;
  if (elements > maxElements)
    throw new ProtocolError('payload_too_large', { message: tooManyElements });
}

const tooManyElements = `The request body has more than ${maxElements.toLocaleString('en')} elements.`;

/** Stops after one line more than allowed. */
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
