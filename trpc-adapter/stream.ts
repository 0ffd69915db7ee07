import { incomingMessageToRequest } from '@trpc/server/adapters/node-http';
import { resolveResponse } from '@trpc/server/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CallerRefusal, logInternalErrorsOnce, sendEventStream, sendStream } from '#http';
import { type Calls, operationOfCall, readInputs } from './calls.ts';
import { refusalOf } from './errors.ts';
import type { Context } from './procedures.ts';
import { appRouter } from './router.ts';

/**
 * Runs all calls with tRPC's own HTTP handler. Sends each result without waiting for the others.
 *
 * @throws the error that rejects the whole HTTP request
 */
export async function streamResults(
  { names, isBatch, isSubscription }: Calls,
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // Invalid input rejects the whole HTTP request, with or without a stream.
  readInputs(request, isBatch);
  const incoming = Object.assign(request.raw, { body: JSON.stringify(request.body) });
  const req = incomingMessageToRequest(incoming, reply.raw, { maxBodySize: null });
  // From this header, tRPC chooses the parser for all inputs, even for inputs in the address.
  req.headers.set('content-type', 'application/json');
  const refusals: CallerRefusal[] = [];
  const refusalsOfPath = new Map<string, CallerRefusal[]>();
  const reportOutcomes = () => {
    request.callOutcomes = names.map((name) => ({
      operation: operationOfCall(name),
      outcome: refusalsOfPath.get(name)?.shift()?.code ?? 'ok',
    }));
  };
  const { status, headers, body } = await resolveResponse({
    router: appRouter,
    req,
    // tRPC decodes the path a second time.
    path: encodeURIComponent(names.join()),
    error: null,
    allowMethodOverride: true,
    createContext: async () => ctx,
    onError({ error, path = '' }) {
      const refusal = refusalOf(error);
      refusals.push(refusal);
      refusalsOfPath.getOrInsertComputed(path, () => []).push(refusal);
    },
  });
  if (status !== 200 || body === null) throw refusals[0];
  for (const name of ['cache-control', 'connection', 'transfer-encoding']) headers.delete(name);
  reply.headers(Object.fromEntries(headers));
  if (isSubscription) {
    const reader = body.getReader();
    return sendEventStream(request, reply, {
      read: () => reader.read(),
      cancel() {
        reportOutcomes();
        logInternalErrorsOnce(request.log, refusals);
        return reader.cancel();
      },
    });
  }
  return sendStream(request, reply, lines(body));

  async function* lines(source: AsyncIterable<Uint8Array>) {
    try {
      yield* source;
    } catch (error) {
      // The stream ends early if a result can't be written as JSON.
      refusals.push(refusalOf(error));
      throw error;
    } finally {
      reportOutcomes();
      logInternalErrorsOnce(request.log, refusals);
    }
  }
}
