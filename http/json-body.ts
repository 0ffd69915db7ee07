import type { FastifyInstance, FastifyRequest } from 'fastify';
import { maxPushedRecords, parseExactJson, unreadableRecord } from '#core';
import { ProtocolError } from './errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Accepts only JSON in UTF-8. Refuses forms and plain text before the body is read, because pages of other sites can
 * send them.
 *
 * @param mayBeEmpty returns true if the route accepts an empty body, which is then undefined
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
      return parseOrRefuse(() => {
        const text = utf8.decode(body);
        return acceptsRecords ? parseExactJson(text) : JSON.parse(text);
      });
    },
  );
}

/** Accepts one record per line (NDJSON) on routes that accept records. */
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

/**
 * The largest number of elements in a body, enough for a thousand records with fifty fields. The parser that keeps all
 * digits calls a function for each element, so more elements would block other callers.
 */
const maxElements = 50_000;

const comma = 0x2c;

/** Estimates the number of elements by counting commas. Also counts commas in strings. */
function checkElements(body: Buffer): void {
  let elements = 1;
  for (let at = body.indexOf(comma); at >= 0; at = body.indexOf(comma, at + 1)) elements += 1;
  if (elements <= maxElements) return;
  const message = `The request body has more than ${maxElements.toLocaleString('en')} elements.`;
  throw new ProtocolError('payload_too_large', { message });
}

/** Reads at most one record above the limit. The use case then reports that there are too many records. */
function readLines(body: Buffer): unknown[] {
  const records: unknown[] = [];
  for (const line of parseOrRefuse(() => utf8.decode(body)).split('\n')) {
    if (line.trim() === '') continue;
    records.push(parseLine(line));
    if (records.length > maxPushedRecords) break;
  }
  return records;
}

function parseOrRefuse<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse();
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
