import { initTRPC } from '@trpc/server';
import type { z } from 'zod';
import type { InvestorKeyCaller, InvestorUseCases } from '#core';
import { heartbeatMilliseconds, refusalOf as refusalOfThrown, type Writer } from '#http';
import { presentError, refusalOf } from './errors.ts';

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

/** Turns every error of a procedure into a refusal. A `TRPCError` that it throws is unexpected, too. */
export const procedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  throw refusalOfThrown(result.error.cause ?? result.error);
});

/**
 * Makes the input schema visible to panels and tools, without checking the input. The use case checks it with the same
 * schema, and its refusals have our form (docs/decisions/0014).
 */
export const showInput = <Input>(
  schema: z.ZodType<unknown, Input>,
): { readonly _input: Input; readonly _output: Input } =>
  Object.assign(schema.clone() as z.ZodType<Input, Input>, {
    parse: (input: unknown) => input as Input,
  });
