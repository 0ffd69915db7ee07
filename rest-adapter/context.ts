import type { FastifyRequest } from 'fastify';
import type { Caller, Make } from '#core';
import { acceptedEncoding, callerOf, type DataCache, type EncodedBody, writeBody } from '#http';

/** What an endpoint sees of a request. */
export interface Context {
  readonly caller: Caller;
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  /** By lower-case name; undefined when absent. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Makes a body of company data. What is presented must come from the data and the path alone. */
  write<Data>(present: (data: Data) => object): Make<Data, EncodedBody>;
}

export function createContext(request: FastifyRequest, cache: DataCache): Context {
  const caller = callerOf(request);
  return {
    caller,
    requestId: request.id,
    parameters: request.params as Record<string, string>,
    query: request.query,
    body: request.body,
    headers: request.headers,
    write: (present) =>
      writeBody(
        cache,
        { name: 'rest', accepted: acceptedEncoding(request), key: caller.keyId },
        present,
      ),
  };
}
