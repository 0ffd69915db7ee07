import type { FastifyRequest } from 'fastify';
import { wantsEvents } from './event-stream.ts';

/** What an endpoint sees of a request, whoever calls. */
export interface Context {
  readonly requestId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  /** By lower-case name; undefined when absent. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether the answer is to be a stream of events, where there is one. Only those endpoints pay for the question. */
  wantsEvents(): boolean;
}

export function contextOf(request: FastifyRequest): Context {
  const { id, params, query, body, headers } = request;
  return {
    requestId: id,
    parameters: params as Context['parameters'],
    query,
    body,
    headers,
    wantsEvents: () => wantsEvents(request),
  };
}
