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

export interface Context {
  readonly useCases: InvestorUseCases;
  readonly caller: InvestorCaller;
  readonly requestId: string;
  readonly publicUrl: string;
  readonly write: RowsWriter;
  readonly log: FastifyBaseLogger;
  /** Aborts when the caller disconnects or the server closes. */
  readonly leaving: AbortSignal;
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

export interface ContextOptions {
  readonly useCases: InvestorUseCases;
  readonly cache: DataCache;
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: () => string;
}
