import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from './errors.ts';
import { isEventStream } from './event-stream.ts';

/** The outcome of one call: the code of its refusal, or `ok`. */
export interface CallOutcome {
  /** From a closed set, never a name invented by a caller. */
  readonly operation: string;
  readonly outcome: 'ok' | ErrorCode;
}

/** For operations that don't exist. */
export const otherOperation = 'other';

declare module 'fastify' {
  interface FastifyRequest {
    /** The refusal of the whole request. */
    refusalCode: ErrorCode | null;
    /** The outcomes of the calls if the status doesn't show them. Null: the request is one call. */
    callOutcomes: readonly CallOutcome[] | null;
  }
  interface FastifyContextConfig {
    /** The name of the route's operation, from a closed set. */
    operation?: string | ((request: FastifyRequest) => string);
  }
}

/** Returns the outcome of each call of a request after its response. */
export function outcomesOf(request: FastifyRequest): readonly CallOutcome[] {
  const { callOutcomes, refusalCode } = request;
  if (callOutcomes !== null) return callOutcomes;
  return [{ operation: operationOf(request), outcome: refusalCode ?? 'ok' }];
}

/** Returns true if the client left before the whole response was sent. Leaving an event stream is its normal end. */
export const isAborted = (reply: FastifyReply): boolean =>
  !reply.raw.writableFinished && !isEventStream(reply);

export function operationOf(request: FastifyRequest): string {
  const { operation = otherOperation } = request.routeOptions.config;
  return typeof operation === 'function' ? operation(request) : operation;
}
