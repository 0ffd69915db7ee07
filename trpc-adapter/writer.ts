import type { FastifyRequest } from 'fastify';
import {
  acceptedEncoding,
  createRowsWriter,
  type DataCache,
  type Encode,
  identityAlone,
  investorCallerOf,
  type Writer,
  writeBody,
} from '#http';

/** The facts about a request's calls that decide how results are sent. */
interface Sending {
  readonly names: readonly string[];
  readonly isBatch: boolean;
  readonly isStream: boolean;
}

const result = ['{"result":{"data":', '}}'] as const;
const batchOfOne = [`[${result[0]}`, `${result[1]}]`] as const;

/** A procedure returns the whole result of a call as an `EncodedBody`, unless tRPC itself streams it. */
export function createWriter(cache: DataCache, request: FastifyRequest, calls: Sending): Writer {
  const key = investorCallerOf(request).credentialId;
  if (calls.isStream) return createRowsWriter(cache, key);
  const isAlone = calls.names.length === 1;
  const form = {
    name: isAlone && calls.isBatch ? 'trpc batch' : 'trpc',
    frame: isAlone && calls.isBatch ? batchOfOne : result,
    // Several results are assembled, so each must be plain text. A single one is sent in its cached form.
    accepted: isAlone ? acceptedEncoding(request) : identityAlone,
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
