import { initTRPC } from '@trpc/server';
import type { Caller, CallerUseCases } from '#core';
import { heartbeatMilliseconds, refusalOf as refusalOfThrown, type Writer } from '#http';
import { presentError, refusalOf } from './errors.ts';

/** What a procedure sees of a request. */
export interface Context {
  readonly useCases: CallerUseCases;
  readonly caller: Caller;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: string;
  readonly write: Writer;
  /** Tells the client after which event a subscription begins. */
  readonly startEvents: (after: string) => void;
}

const t = initTRPC.context<Context>().create({
  isDev: false,
  jsonl: { contentType: 'application/jsonl' },
  sse: {
    ping: { enabled: true, intervalMs: heartbeatMilliseconds },
    client: { reconnectAfterInactivityMs: 3 * heartbeatMilliseconds },
  },
  errorFormatter: ({ error, ctx }) =>
    presentError(refusalOf(error), ctx?.caller.requestId ?? '', ctx?.publicUrl ?? ''),
});

export const { router } = t;

/** What a procedure throws is a refusal of ours or was not foreseen, even if it is an error of tRPC. */
export const procedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  throw refusalOfThrown(result.error.cause ?? result.error);
});

/** Gives an input its type and nothing else: the use case checks it. */
export const typed = <Input>(input: unknown): Input => input as Input;
