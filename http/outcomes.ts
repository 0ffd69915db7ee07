import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from './errors.ts';
import { isEventStream } from './event-stream.ts';

/** The outcome of one call: the code of its refusal, or `ok`. */
export interface CallOutcome {
  /** Of a closed set: never a name that a caller has made up. */
  readonly operation: string;
  readonly outcome: 'ok' | ErrorCode;
}

/** For an operation that does not exist. */
export const otherOperation = 'other';

declare module 'fastify' {
  interface FastifyRequest {
    /** Why the request as a whole was refused. */
    refusalCode: ErrorCode | null;
    /** The outcomes of its calls, where the status does not tell them; null: the request is one call. */
    callOutcomes: readonly CallOutcome[] | null;
  }
  interface FastifyContextConfig {
    /** The operation of a request to this route, a name of a closed set. */
    operation?: string | ((request: FastifyRequest) => string);
  }
}

/** The outcomes of a request that has been answered, call by call. */
export function outcomesOf(request: FastifyRequest): readonly CallOutcome[] {
  const { callOutcomes, refusalCode } = request;
  if (callOutcomes !== null) return callOutcomes;
  return [{ operation: operationOf(request), outcome: refusalCode ?? 'ok' }];
}

/** Whether the client has left before its answer was whole; to leave an event stream is how it ends. */
export const isAborted = (reply: FastifyReply): boolean =>
  !reply.raw.writableFinished && !isEventStream(reply);

export function operationOf(request: FastifyRequest): string {
  const { operation = otherOperation } = request.routeOptions.config;
  return typeof operation === 'function' ? operation(request) : operation;
}
