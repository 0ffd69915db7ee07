import { initTRPC } from '@trpc/server';
import type { z } from 'zod';
import type { InvestorKeyCaller, InvestorUseCases } from '#core';
import { heartbeatMilliseconds, refusalOf as refusalOfThrown, type Writer } from '#http';
import { presentError, refusalOf } from './errors.ts';

/** The context of a procedure. */
export interface Context {
  readonly useCases: InvestorUseCases;
  readonly caller: InvestorKeyCaller;
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: string;
  readonly write: Writer;
  /** Sends the ID of the event that a subscription starts after. */
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

/** Everything that a procedure throws is a refusal of ours or an unexpected error, even if it is a TRPCError. */
export const procedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  throw refusalOfThrown(result.error.cause ?? result.error);
});

/**
 * Shows the schema of an input to panels and tools. tRPC passes the input on unchecked, because the use case checks it
 * by
 * the same schema, and its refusals have our form (docs/decisions/0014).
 */
export const shown = <Input>(
  schema: z.ZodType<unknown, Input>,
): { readonly _input: Input; readonly _output: Input } =>
  Object.assign(schema.clone() as z.ZodType<Input, Input>, {
    parse: (input: unknown) => input as Input,
  });
