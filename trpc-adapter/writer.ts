import type { FastifyRequest } from 'fastify';
import {
  acceptedEncoding,
  createRowsWriter,
  type DataCache,
  type Encode,
  identityOnly,
  investorCallerOf,
  type Writer,
  writeBody,
} from '#http';
import type { Calls } from './calls.ts';

const result = ['{"result":{"data":', '}}'] as const;
const batchOfOne = [`[${result[0]}`, `${result[1]}]`] as const;

/** In a tRPC stream, procedures return objects instead of an `EncodedBody`. */
export function createWriter(cache: DataCache, request: FastifyRequest, calls: Calls): Writer {
  const key = investorCallerOf(request).credentialId;
  if (calls.isStream) return createRowsWriter(cache, key);
  const isAlone = calls.names.length === 1;
  const form = {
    name: isAlone && calls.isBatch ? 'trpc batch' : 'trpc',
    frame: isAlone && calls.isBatch ? batchOfOne : result,
    // Several results form one body, so single results must not be compressed.
    accepted: isAlone ? acceptedEncoding(request) : identityOnly,
    key,
  };
  function write<Data, Presented>(present: (data: Data) => unknown): Encode<Data, Presented> {
    return writeBody(cache, form, present) as Encode<Data, unknown> as Encode<Data, Presented>;
  }
  return {
    one: (present) => write(present),
    list: (present) => write((items) => items.values().map(present)),
  };
}
