import type { ExecutionResult } from 'graphql';
import { logUnforeseen } from '#http';
import type { RequestContext } from './context.ts';
import { presentError, readError } from './errors.ts';

type Result = Pick<ExecutionResult, 'data' | 'extensions'> & {
  readonly errors?: readonly object[];
};

/**
 * Presents the results of a subscription. An error that ends it is its last result. A result without a change has the
 * position to resume after. Not a generator, which would wait for the next event before it releases a client.
 */
export function presentEventResults(
  results: AsyncIterable<ExecutionResult>,
  context: RequestContext,
): AsyncIterableIterator<Result, undefined> {
  const source = results[Symbol.asyncIterator]();
  const { subscription } = context;
  let hasFailed = false;

  function present({ data, errors }: ExecutionResult): Result {
    const presented = errors?.map((error) => {
      const { refusal } = readError(error, true);
      logUnforeseen(context.log, refusal);
      return presentError(refusal, context, error);
    });
    const { position } = subscription;
    subscription.position = null;
    const extensions = position !== null && { extensions: { position } };
    return {
      ...(presented && { errors: presented }),
      ...(data !== undefined && { data }),
      ...extensions,
    };
  }

  return {
    async next() {
      if (hasFailed) return { done: true, value: undefined };
      try {
        const { done, value } = await source.next();
        return done ? { done, value: undefined } : { done: false, value: present(value) };
      } catch (error) {
        hasFailed = true;
        return { done: false, value: present({ errors: [error as never] }) };
      }
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
