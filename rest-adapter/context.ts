import type { FastifyRequest } from 'fastify';
import type { Caller } from '#core';
import { callerOf } from '#http';

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
  return {
    caller: callerOf(request),
    requestId: request.id,
    parameters: request.params as Record<string, string>,
    query: request.query,
    body: request.body,
    headers: request.headers,
  };
}
