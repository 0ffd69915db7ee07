import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Caller, Encode } from '#core';
import {
  acceptedEncoding,
  callerOf,
  type DataCache,
  type EncodedBody,
  writeBody,
  writeCsv,
} from '#http';
import { type Context, contextOf } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';

export interface InvestorContext extends Context {
  readonly caller: Caller;
  /** Makes a body of company data. What is presented must come from the data and the path alone. */
  write<Data>(present: (data: Data) => object): Encode<Data, EncodedBody>;
  /** The same as lines of CSV. */
  writeCsv<Data>(lines: (data: Data) => Iterable<string>): Encode<Data, EncodedBody>;
  /** Whether the caller would rather have CSV than JSON. Who accepts neither gets JSON. */
  prefersCsv(): boolean;
}

const mediaTypes = ['application/json', 'text/csv', 'text/csv; charset=utf-8'];

export type InvestorEndpoint = Endpoint<InvestorContext>;

export function createContext(request: FastifyRequest, cache: DataCache): InvestorContext {
  const caller = callerOf(request);
  const form = (name: string) => ({
    name,
    accepted: acceptedEncoding(request),
    key: caller.keyId,
  });
  return {
    ...contextOf(request),
    caller,
    write: (present) => writeBody(cache, form('rest'), present),
    writeCsv: (lines) => writeCsv(cache, form('csv'), lines),
    prefersCsv: () =>
      new Negotiator(request).mediaType(mediaTypes)?.startsWith('text/csv') === true,
  };
}
