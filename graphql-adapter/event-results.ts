import type { ExecutionResult } from 'graphql';
import { logUnforeseen } from '#http';
import type { RequestContext } from './context.ts';
import { presentError, readError } from './errors.ts';

type Result = Pick<ExecutionResult, 'data' | 'extensions'> & {
  readonly errors?: readonly object[];
};

/**
 * Presents the results of a subscription. An error that ends it is its last result. The first result has the position
 * after which the events start. Not a generator, which would wait for the next event before it releases a client.
 */
export function presentEventResults(
  results: AsyncIterable<ExecutionResult>,
  context: RequestContext,
): AsyncIterableIterator<Result, undefined> {
  const source = results[Symbol.asyncIterator]();
  let hasFailed = false;
  let { position } = context.subscription;

  function present({ data, errors }: ExecutionResult): Result {
    const presented = errors?.map((error) => {
      const { refusal } = readError(error, true);
      logUnforeseen(context.log, refusal);
      return presentError(refusal, context, error);
    });
    const extensions = position !== null && { extensions: { position } };
    position = null;
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
