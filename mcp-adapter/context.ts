import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { InvestorCaller, InvestorUseCases } from '#core';
import {
  type CallOutcome,
  createRowsWriter,
  type DataCache,
  investorCallerOf,
  operationOf,
  type RowsWriter,
} from '#http';

/** What a tool sees of a request. */
export interface Context {
  readonly useCases: InvestorUseCases;
  readonly caller: InvestorCaller;
  readonly requestId: string;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: string;
  readonly write: RowsWriter;
  readonly log: FastifyBaseLogger;
  /** Aborted when nobody waits for the answer any more, or the server is about to close. */
  readonly leaving: AbortSignal;
  /** Tells what the message of the request came to. */
  readonly setOutcome: (outcome: CallOutcome['outcome']) => void;
}

export function createContext(
  { useCases, cache, publicUrl }: ContextOptions,
  request: FastifyRequest,
  leaving: AbortSignal,
): Context {
  const caller = investorCallerOf(request);
  return {
    useCases,
    caller,
    requestId: caller.requestId,
    publicUrl: publicUrl(),
    write: createRowsWriter(cache, caller.credentialId),
    log: request.log,
    leaving,
    setOutcome(outcome) {
      request.callOutcomes = [{ operation: operationOf(request), outcome }];
    },
  };
}

interface ContextOptions {
  readonly useCases: InvestorUseCases;
  readonly cache: DataCache;
  readonly publicUrl: () => string;
}
