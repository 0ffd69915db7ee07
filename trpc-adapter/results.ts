import { callTRPCProcedure } from '@trpc/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type CallerRefusal,
  type EncodedBody,
  errorAnswers,
  isEncodedBody,
  logInternalErrorsOnce,
  sendEncoded,
  setRefusal,
  toBody,
} from '#http';
import { type Calls, procedureOf, readInputs } from './calls.ts';
import { presentError, refusalOf } from './errors.ts';
import type { Context } from './procedures.ts';
import { appRouter } from './router.ts';

interface Result {
  readonly json: string | EncodedBody['bytes'];
  /** The body to send if this is the only result. */
  readonly body?: EncodedBody;
  readonly refusal: CallerRefusal | null;
}

/** A failed call doesn't affect the others. tRPC's own HTTP handler would be slower (docs/decisions/0014). */
export function runCalls(calls: Calls, ctx: Context, request: FastifyRequest): Promise<Result[]> {
  const inputOf = readInputs(request, calls.isBatch);

  async function run(path: string, batchIndex: number): Promise<Result> {
    try {
      const { type } = procedureOf(path, request)._def;
      const getRawInput = async () => inputOf(batchIndex);
      const options = { path, type, ctx, getRawInput, batchIndex, signal: undefined };
      return succeed((await callTRPCProcedure({ router: appRouter, ...options })) as object);
    } catch (error) {
      return fail(error, request, ctx.publicUrl);
    }
  }
  return Promise.all(calls.names.map(run));
}

function succeed(data: object): Result {
  if (isEncodedBody(data)) return { json: data.bytes, body: data, refusal: null };
  return { json: `{"result":{"data":${JSON.stringify(data)}}}`, refusal: null };
}

export function fail(error: unknown, { id }: FastifyRequest, publicUrl: string): Result {
  const refusal = refusalOf(error);
  return { json: JSON.stringify({ error: presentError(refusal, id, publicUrl) }), refusal };
}

/** The status is 207 if the results of a batch have different statuses. */
export function sendResults(
  reply: FastifyReply,
  results: readonly Result[],
  isBatch: boolean,
): FastifyReply {
  const refusals = results.flatMap(({ refusal }) => refusal ?? []);
  logInternalErrorsOnce(reply.request.log, refusals);
  const statuses = new Set(
    results.map(({ refusal }) => refusal && errorAnswers[refusal.code].status),
  );
  if (statuses.size > 1) reply.code(207);
  else if (refusals[0]) setRefusal(reply, refusals[0]);
  reply.type('application/json; charset=utf-8');
  const [only] = results;
  if (results.length === 1 && only?.body) return sendEncoded(reply, only.body);
  const list = results.flatMap(({ json }, index) => (index === 0 ? [json] : [',', json]));
  return reply.send(toBody(reply, isBatch ? ['[', ...list, ']'] : list));
}
