import type { FastifyRequest } from 'fastify';

/** What an endpoint sees of a request, whoever calls. */
export interface Context {
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  /** By lower-case name; undefined when absent. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export function contextOf({ id, params, query, body, headers }: FastifyRequest): Context {
  return {
    requestId: id,
    parameters: params as Context['parameters'],
    query,
    body,
    headers,
  };
}
