import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from './errors.ts';
import { isEventStream } from './event-stream.ts';

export interface CallOutcome {
  /** A name from a fixed list, because the metrics have one series per operation. */
  readonly operation: string;
  readonly outcome: 'ok' | ErrorCode;
}

/** For requests to a path or method that doesn't exist. */
export const otherOperation = 'other';

declare module 'fastify' {
  interface FastifyRequest {
    /** The error code if the complete request was refused. */
    refusalCode: ErrorCode | null;
    /** The outcome of each operation. Null for a single operation, because the HTTP status shows its outcome. */
    callOutcomes: readonly CallOutcome[] | null;
  }
  interface FastifyContextConfig {
    operation?: string | ((request: FastifyRequest) => string);
  }
}

/** Use this only after the response was sent. */
export function outcomesOf(request: FastifyRequest): readonly CallOutcome[] {
  const { callOutcomes, refusalCode } = request;
  if (callOutcomes !== null) return callOutcomes;
  return [{ operation: operationOf(request), outcome: refusalCode ?? 'ok' }];
}

/** Returns true if the client disconnected early. This is normal for event streams, so they don't count. */
export const isAborted = (reply: FastifyReply): boolean =>
  !reply.raw.writableFinished && !isEventStream(reply);

export function operationOf(request: FastifyRequest): string {
  const { operation = otherOperation } = request.routeOptions.config;
  return typeof operation === 'function' ? operation(request) : operation;
}
