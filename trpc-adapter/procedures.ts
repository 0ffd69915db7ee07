import { initTRPC } from '@trpc/server';
import type { z } from 'zod';
import { type Caller, parseInput } from '#core';
import { presentError, refusalOf } from './errors.ts';

/**
 * What a procedure sees of a request. The types of the client are made from what stands here and in the router, so
 * neither may reach the HTTP framework, not even by a type.
 */
export interface Context {
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
