import type { Reading } from '#core';
import { CompressedBytes } from './compressed-bytes.ts';
import type { DataCache, Sized } from './data-cache.ts';
import {
  type AcceptedEncoding,
  type EncodedBody,
  type Encoding,
  encodeBody,
  etagOf,
} from './encoding.ts';
import { eventLoopThrottle, limits } from './limits/index.ts';
import { longBytes } from './long-bodies.ts';

/** A shorter body fits into one network packet, so it isn't compressed. */
const shortBytes = 1_024;

const itemsPerPiece = 100;

interface BodyForm {
  /** The name of the form, unique among the forms of the same data. */
  readonly name: string;
  readonly accepted: AcceptedEncoding;
  /** Identifies the caller. Callers with long texts take turns. */
  readonly key: string;
}

/** Reads and encodes company data. Resolves after the access record is committed. */
export type Encode<Data, Encoded> = (reading: Reading<Data>) => Promise<Encoded>;

/**
 * Encodes company data as JSON, once for each data version, form and encoding.
 *
 * @param frame the texts before and after the data
 * @param present may return iterators. Each iterator is written as a list, item by item
 */
export function writeBody<Data>(
  cache: DataCache,
  { frame: [before, after] = ['', ''], ...form }: BodyForm & { frame?: readonly [string, string] },
  present: (data: Data) => unknown,
): Encode<Data, EncodedBody> {
  return writePieces(cache, form, (data) => framed(before, jsonPieces(present(data)), after));
}

export function writeCsv<Data>(
  cache: DataCache,
  form: BodyForm,
  lines: (data: Data) => Iterable<string>,
): Encode<Data, EncodedBody> {
  return writePieces(cache, { ...form, type: 'text/csv; charset=utf-8; header=present' }, lines);
}

function writePieces<Data>(
  cache: DataCache,
  { name, accepted, key, type }: BodyForm & Pick<EncodedBody, 'type'>,
  write: (data: Data) => Iterable<string>,
): Encode<Data, EncodedBody> {
  return (reading) =>
    cache.getAfterCommit(
      reading,
      `${name} ${accepted.long} ${accepted.short}`,
      key,
      async (data) => {
        const plain = await writeText(write(data), key);
        const encoding = plain.length < shortBytes ? accepted.short : accepted.long;
        const made = await encodeForCache(plain, encoding);
        return { ...made, value: { ...made.value, ...(type !== undefined && { type }) } };
      },
    );
}

/** Compresses a long body even for a caller without encodings, so that more bodies fit into the cache. */
async function encodeForCache(plain: Buffer, encoding: Encoding): Promise<Sized<EncodedBody>> {
  const uncompressedBytes = plain.length;
  if (encoding !== 'identity' || uncompressedBytes <= longBytes) {
    const value = await encodeBody(plain, encoding, 'quick');
    return { value, bytes: value.bytes.length, uncompressedBytes };
  }
  const bytes = await CompressedBytes.of(plain);
  return {
    value: { bytes, encoding, etag: etagOf(plain) },
    bytes: bytes.storedLength,
    uncompressedBytes,
  };
}

function* framed(before: string, pieces: Iterable<string>, after: string): Generator<string> {
  yield before;
  yield* pieces;
  yield after;
}

/** Joins texts in several iterations of the event loop, so a long body doesn't block other callers. */
export async function writeText(texts: Iterable<string>, key: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for (const text of texts) {
    const piece = Buffer.from(text);
    pieces.push(piece);
    length += piece.length;
    const price = text.length * limits.eventLoop.perCharacter;
    if (!eventLoopThrottle.beginNow(price)) await eventLoopThrottle.begin(price, key);
  }
  // Allocates outside of Node's shared pool. A cached slice of the pool would keep the complete pool in memory.
  const whole = Buffer.allocUnsafeSlow(length);
  let end = 0;
  for (const piece of pieces) end += piece.copy(whole, end);
  return whole;
}

function* jsonPieces(value: unknown): Generator<string> {
  if (value instanceof Iterator) return yield* listPieces(value);
  if (!isPlainObject(value)) return yield JSON.stringify(value);
  let separator = '{';
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* jsonPieces(inner);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

function* listPieces(list: Iterator<unknown, unknown> & Iterable<unknown>): Generator<string> {
  let separator = '[';
  let items: unknown[] = [];
  for (const item of list) {
    if (items.push(item) < itemsPerPiece) continue;
    yield separator + JSON.stringify(items).slice(1, -1);
    separator = ',';
    items = [];
  }
  if (items.length > 0) yield `${separator}${JSON.stringify(items).slice(1, -1)}]`;
  else yield separator === '[' ? '[]' : ']';
}

function isPlainObject(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
