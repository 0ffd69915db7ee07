import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import {
  acceptedEncoding,
  type DataCache,
  type Encode,
  type EncodedBody,
  identityOnly,
  writeBody,
  writeCsv,
} from '#http';

/**
 * Encodes company data as JSON, or as CSV if the caller prefers CSV. The result is cached for the data and the path, so
 * it must not depend on anything else.
 */
export type WriteData = <Data>(
  present: (data: Data) => object,
  lines?: (data: Data) => Iterable<string>,
) => Encode<Data, EncodedBody>;

const mediaTypes = ['application/json', 'text/csv', 'text/csv; charset=utf-8'];

/**
 * @param name a unique name of the API
 * @param key identifies the caller. Callers with long texts take turns
 */
export const createWriter =
  (request: FastifyRequest, cache: DataCache, name: string, key: string): WriteData =>
  (present, lines) => {
    const form = { accepted: acceptedEncoding(request), key };
    return lines !== undefined && prefersCsv(request)
      ? writeCsv(cache, { ...form, name: 'csv' }, lines)
      : writeBody(cache, { ...form, name }, present);
  };

const prefersCsv = (request: FastifyRequest): boolean =>
  new Negotiator(request).mediaType(mediaTypes)?.startsWith('text/csv') === true;

/** Encodes the items of a list without its brackets, so that several lists can be joined into one. */
export type WriteItems = <Item>(
  present: (item: Item) => object,
) => Encode<readonly Item[], Uint8Array>;

export function createItemsWriter(cache: DataCache, name: string, key: string): WriteItems {
  const form = { accepted: identityOnly, key, name: `${name} items` };
  return <Item>(present: (item: Item) => object): Encode<readonly Item[], Uint8Array> => {
    const write = writeBody<readonly Item[]>(cache, form, (items) => items.values().map(present));
    return async (reading) => {
      const { bytes } = await write(reading);
      return (Buffer.isBuffer(bytes) ? bytes : await bytes.whole()).subarray(1, -1);
    };
  };
}
