import { initTRPC } from '@trpc/server';
import type { Caller, CallerUseCases } from '#core';
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

/** Gives an input its type and nothing else: the use case checks it. */
export const typed = <Input>(input: unknown): Input => input as Input;
