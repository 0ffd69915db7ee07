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
  /** Sends the client the ID of the last event before the subscription starts. */
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

/** A `TRPCError` from a procedure counts as an internal error too. */
export const procedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  throw refusalOfThrown(result.error.cause ?? result.error);
});

/**
 * Shows the input schema to panels and tools. The use case checks the input with the same schema, and its errors have
 * our format (docs/decisions/0014).
 */
export const showInput = <Input>(
  schema: z.ZodType<unknown, Input>,
): { readonly _input: Input; readonly _output: Input } =>
  Object.assign(schema.clone() as z.ZodType<Input, Input>, {
    parse: (input: unknown) => input as Input,
  });
