import type { FastifyRequest } from 'fastify';
import { AccessError, type Caller } from '#core';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gateway once it has admitted the caller; null on what is open to everyone. */
    caller: Caller | null;
  }
}

/** What an endpoint sees of a request. */
export interface Context {
  readonly caller: Caller;
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  /** By lower-case name; undefined when absent. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export function createContext(request: FastifyRequest): Context {
  if (request.caller === null) throw new AccessError('missing_api_key');
  return {
    caller: request.caller,
    requestId: request.id,
    parameters: request.params as Record<string, string>,
    query: request.query,
    body: request.body,
    headers: request.headers,
  };
}
