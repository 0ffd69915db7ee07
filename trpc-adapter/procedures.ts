import { initTRPC } from '@trpc/server';
import type { z } from 'zod';
import { type Caller, type CallerUseCases, parseInput } from '#core';
import { presentError, refusalOf } from './errors.ts';

/** What a procedure sees of a request. */
export interface Context {
  readonly useCases: CallerUseCases;
  readonly caller: Caller;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: string;
}

export const { procedure, router } = initTRPC.context<Context>().create({
  isDev: false,
  errorFormatter: ({ error, ctx }) =>
    presentError(refusalOf(error), ctx?.caller.requestId ?? '', ctx?.publicUrl ?? ''),
});

/** An input as the core checks it, so that it is refused with the core's code. */
export const checked =
  <S extends z.ZodType>(schema: S) =>
  (input: unknown): z.output<S> =>
    parseInput(schema, input);
