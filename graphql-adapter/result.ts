import type { ExecutionResult } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';
import { type CallOutcome, logInternalErrorsOnce, otherOperation, refusalOf } from '#http';
import type { RequestContext } from './context.ts';
import { type OperationError, presentError, readError } from './errors.ts';
import { createTooManyErrors } from './limits/request-budget.ts';
import type { GraphqlBounds } from './settings.ts';
import { writeBody } from './write-body.ts';

/** If an error rejects the whole HTTP request, stores this error in the budget and returns an empty response. */
export async function processResults(
  results: readonly ExecutionResult[],
  context: RequestContext,
  bounds: GraphqlBounds,
  { Response }: FetchAPI,
): Promise<Response> {
  const { batch, budget, listsInResponse, mediaType } = context;
  const hasStarted = ({ data }: ExecutionResult) => data !== undefined;
  try {
    budget.check();
    const read = results.map((result) =>
      (result.errors ?? []).map((error) => readError(error, hasStarted(result))),
    );
    checkErrors(read.flat(), context, bounds);
    context.setOutcomes(
      results.map((result, index) => ({
        operation: context.operations.get(result) ?? otherOperation,
        outcome: outcomeOf(read[index] ?? []),
      })),
    );
    const bodies = results.map(({ data, extensions }, index) => {
      const errors = read[index]?.map(({ refusal, error }) =>
        presentError(refusal, context, error),
      );
      return {
        ...(errors?.length && { errors }),
        ...(data !== undefined && { data }),
        ...(extensions && { extensions }),
      };
    });
    const body = await writeBody(
      batch ? bodies : bodies[0],
      listsInResponse,
      bounds.maxAnswerBytes,
    );
    // Older clients accept only plain JSON and expect status 200.
    const isOk = batch !== null || mediaType === 'application/json' || results.some(hasStarted);
    return new Response(body as Uint8Array<ArrayBuffer>, {
      status: isOk ? 200 : 400,
      headers: { 'content-type': `${mediaType}; charset=utf-8` },
    });
  } catch (error) {
    budget.end(refusalOf(error));
    return new Response();
  }
}

/** An internal error has priority over other errors. */
function outcomeOf(errors: readonly OperationError[]): CallOutcome['outcome'] {
  const internal = errors.find(({ refusal }) => refusal.type === 'api_error');
  return (internal ?? errors[0])?.refusal.code ?? 'ok';
}

/** @throws CallerRefusal if an error rejects the whole HTTP request */
function checkErrors(
  errors: readonly OperationError[],
  { batch, log }: RequestContext,
  { maxErrors }: GraphqlBounds,
): void {
  // In a batch, each rejected operation has its own result, so the batch continues.
  const refused = errors.find(({ refusesRequest }) => refusesRequest && batch === null);
  if (refused) throw refused.refusal;
  logInternalErrorsOnce(
    log,
    errors.map(({ refusal }) => refusal),
  );
  if (errors.length > maxErrors) throw createTooManyErrors(maxErrors);
}
