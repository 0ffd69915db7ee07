import type { FastifyRequest } from 'fastify';
import type { Caller, Make } from '#core';
import { acceptedEncoding, callerOf, type DataCache, type EncodedBody, writeBody } from '#http';
import { type Context, contextOf } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';

export interface InvestorContext extends Context {
  readonly caller: Caller;
  /** Makes a body of company data. What is presented must come from the data and the path alone. */
  write<Data>(present: (data: Data) => object): Make<Data, EncodedBody>;
}

export type InvestorEndpoint = Endpoint<InvestorContext>;

export function createContext(request: FastifyRequest, cache: DataCache): InvestorContext {
  const caller = callerOf(request);
  return {
    ...contextOf(request),
    caller,
    write: (present) =>
      writeBody(
        cache,
        { name: 'rest', accepted: acceptedEncoding(request), key: caller.keyId },
        present,
      ),
  };
}
