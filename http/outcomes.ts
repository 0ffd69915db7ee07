import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from './errors.ts';
import { isEventStream } from './event-stream.ts';

export interface CallOutcome {
  /** A name from a fixed list, because the metrics have one series per operation. */
  readonly operation: string;
  readonly outcome: 'ok' | ErrorCode;
}

/** The name for requests to a path or method that doesn't exist. */
export const otherOperation = 'other';

declare module 'fastify' {
  interface FastifyRequest {
    /** The error code if the complete request was refused. */
    refusalCode: ErrorCode | null;
    /**
     * The outcome of each operation in the HTTP request. Null if the request has a single operation, because the HTTP
     * status then shows the outcome.
     */
    callOutcomes: readonly CallOutcome[] | null;
  }
  interface FastifyContextConfig {
    operation?: string | ((request: FastifyRequest) => string);
  }
}

/** Returns the outcome of each operation. Use this only after the response was sent. */
export function outcomesOf(request: FastifyRequest): readonly CallOutcome[] {
  const { callOutcomes, refusalCode } = request;
  if (callOutcomes !== null) return callOutcomes;
  return [{ operation: operationOf(request), outcome: refusalCode ?? 'ok' }];
}

/**
 * Returns true if the client disconnected before the end of the response. Returns false for event streams, because
 * clients normally close them this way.
 */
export const isAborted = (reply: FastifyReply): boolean =>
  !reply.raw.writableFinished && !isEventStream(reply);

export function operationOf(request: FastifyRequest): string {
  const { operation = otherOperation } = request.routeOptions.config;
  return typeof operation === 'function' ? operation(request) : operation;
}
