import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from './errors.ts';
import { isEventStream } from './event-stream.ts';

export interface CallOutcome {
  /** From a closed set, because metrics have a series per operation. */
  readonly operation: string;
  readonly outcome: 'ok' | ErrorCode;
}

/** The operation of calls for something that doesn't exist. */
export const otherOperation = 'other';

declare module 'fastify' {
  interface FastifyRequest {
    /** The refusal of the whole request. */
    refusalCode: ErrorCode | null;
    /** The outcomes of the calls in the request. Null if the request is one call whose status shows the outcome. */
    callOutcomes: readonly CallOutcome[] | null;
  }
  interface FastifyContextConfig {
    operation?: string | ((request: FastifyRequest) => string);
  }
}

/** Returns the outcome of each call. Valid after the response. */
export function outcomesOf(request: FastifyRequest): readonly CallOutcome[] {
  const { callOutcomes, refusalCode } = request;
  if (callOutcomes !== null) return callOutcomes;
  return [{ operation: operationOf(request), outcome: refusalCode ?? 'ok' }];
}

/** Returns true if the client left early. Event streams normally end that way, so they return false. */
export const isAborted = (reply: FastifyReply): boolean =>
  !reply.raw.writableFinished && !isEventStream(reply);

export function operationOf(request: FastifyRequest): string {
  const { operation = otherOperation } = request.routeOptions.config;
  return typeof operation === 'function' ? operation(request) : operation;
}
