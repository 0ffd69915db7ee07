import type { ExecutionResult } from 'graphql';
import { logIfInternalError } from '#http';
import type { RequestContext } from './context.ts';
import { presentError, readError } from './errors.ts';

type Result = Pick<ExecutionResult, 'data' | 'extensions'> & {
  readonly errors?: readonly object[];
};

/**
 * A thrown error becomes the last result. A result that exceeds a limit becomes an error, and the subscription
 * continues. This isn't a generator: after a client disconnects, a generator stops only after the next event.
 */
export function presentEventResults(
  results: AsyncIterable<ExecutionResult>,
  context: RequestContext,
): AsyncIterableIterator<Result, undefined> {
  const source = results[Symbol.asyncIterator]();
  const { budget, subscription } = context;
  let hasFailed = false;

  function present({ data, errors }: ExecutionResult): Result {
    const presented = errors?.map((error) => {
      const { refusal } = readError(error, true);
      logIfInternalError(context.log, refusal);
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
      budget.reset();
      try {
        const { done, value } = await source.next();
        if (done) return { done, value: undefined };
        // If the result exceeds a limit, its data is incomplete, so only the error is sent.
        const { refusal } = budget;
        const result = refusal ? { errors: [refusal as never] } : value;
        return { done: false, value: present(result) };
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
