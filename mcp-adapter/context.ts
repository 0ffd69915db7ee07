import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Caller, CallerUseCases, Make } from '#core';
import { type CallOutcome, callerOf, type DataCache, operationOf } from '#http';

/** What a tool sees of a request. */
export interface Context {
  readonly useCases: CallerUseCases;
  readonly caller: Caller;
  readonly requestId: string;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: string;
  readonly write: Writer;
  readonly log: FastifyBaseLogger;
  /** Tells what the message of the request came to. */
  readonly setOutcome: (outcome: CallOutcome['outcome']) => void;
}

/** How a tool answers with company data. */
interface Writer {
  one<Data, Presented>(present: (data: Data) => Presented): Make<Data, Presented>;
  list<Item, Presented>(present: (item: Item) => Presented): Make<readonly Item[], Presented[]>;
  rows<Item, Presented>(
    present: (rows: readonly Item[]) => Presented,
  ): Make<readonly Item[], Presented>;
}

export function createContext(
  { useCases, cache, publicUrl }: ContextOptions,
  request: FastifyRequest,
): Context {
  const caller = callerOf(request);
  return {
    useCases,
    caller,
    requestId: caller.requestId,
    publicUrl: publicUrl(),
    write: {
      one: (present) => async (reading) => present(await reading.load()),
      list: (present) => async (reading) =>
        (await cache.getRows(reading, caller.keyId)).map(present),
      rows: (present) => async (reading) => present(await cache.getRows(reading, caller.keyId)),
    },
    log: request.log,
    setOutcome(outcome) {
      request.callOutcomes = [{ operation: operationOf(request), outcome }];
    },
  };
}

interface ContextOptions {
  readonly useCases: CallerUseCases;
  readonly cache: DataCache;
  readonly publicUrl: () => string;
}
