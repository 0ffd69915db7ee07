import type { FastifyRequest } from 'fastify';
import type { Make } from '#core';
import { acceptedEncoding, callerOf, type DataCache, identityAlone, writeBody } from '#http';

/** How a procedure answers with company data. It is typed, by tRPC as well, as returning what is presented. */
export interface Writer {
  one<Data, Presented>(present: (data: Data) => Presented): Make<Data, Presented>;
  list<Item, Presented>(present: (item: Item) => Presented): Make<readonly Item[], Presented[]>;
}

/** What of the calls of a request tells how their results are sent. */
interface Sending {
  readonly names: readonly string[];
  readonly isBatch: boolean;
  readonly isStream: boolean;
}

const result = ['{"result":{"data":', '}}'] as const;
const batchOfOne = [`[${result[0]}`, `${result[1]}]`] as const;

/** What the procedures return is the whole result of a call as an `EncodedBody`, unless tRPC itself streams it. */
export function createWriter(cache: DataCache, request: FastifyRequest, calls: Sending): Writer {
  const key = callerOf(request).keyId;
  if (calls.isStream) {
    return {
      one: (present) => async (reading) => present(await reading.load()),
      list: (present) => async (reading) => (await cache.getRows(reading, key)).map(present),
    };
  }
  const isAlone = calls.names.length === 1;
  const form = {
    name: isAlone && calls.isBatch ? 'trpc batch' : 'trpc',
    frame: isAlone && calls.isBatch ? batchOfOne : result,
    // Several results are put together, so each must be a plain text. One alone is sent as it is kept.
    accepted: isAlone ? acceptedEncoding(request) : identityAlone,
    key,
  };
  function write<Data, Presented>(present: (data: Data) => unknown): Make<Data, Presented> {
    return writeBody(cache, form, present) as Make<Data, unknown> as Make<Data, Presented>;
  }
  return {
    one: (present) => write(present),
    list: (present) => write((items) => items.values().map(present)),
  };
}
