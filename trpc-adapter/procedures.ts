import { initTRPC } from '@trpc/server';
import type { z } from 'zod';
import type { InvestorKeyCaller, InvestorUseCases } from '#core';
import { heartbeatMilliseconds, refusalOf as refusalOfThrown, type Writer } from '#http';
import { presentError, refusalOf } from './errors.ts';

/** What a procedure sees of a request. */
export interface Context {
  readonly useCases: InvestorUseCases;
  readonly caller: InvestorKeyCaller;
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

/**
 * The schema of an input, for its type and for panels and tools, which look for it at the procedure. tRPC hands the input
 * on as it came: the use case checks it by the same schema, once, and what it refuses has our form (docs/decisions/0034).
 */
export const shown = <Input>(
  schema: z.ZodType<unknown, Input>,
): { readonly _input: Input; readonly _output: Input } =>
  Object.assign(schema.clone() as z.ZodType<Input, Input>, {
    parse: (input: unknown) => input as Input,
  });
