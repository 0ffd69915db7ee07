import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, type CallerUseCases } from '#core';
import { ProtocolError, parseJsonBody } from '#http';
import { send } from './answers.ts';
import { createCost, readCalls, wantsStream } from './calls.ts';
import { createErrorHandler } from './error-handler.ts';
import { createRunner } from './runner.ts';

export type { ErrorType } from '#core';
export type { ErrorCode } from '#http';
export type { AccessRequest, AccessRequested } from './access-requests.ts';
export type { Account } from './accounts.ts';
export type { Company } from './companies.ts';
export type { ErrorData } from './errors.ts';
export type { Metric, Verification } from './metrics.ts';
export type { AppRouter } from './router.ts';
export type { Source } from './sources.ts';

export interface TrpcSettings {
  /** Calls in one request. */
  readonly maxBatch: number;
}

interface TrpcAdapterOptions {
  readonly useCases: CallerUseCases;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly settings: TrpcSettings;
}

/** tRPC over HTTP. Register it with the prefix `/trpc`. */
export const trpcAdapter: FastifyPluginAsync<TrpcAdapterOptions> = async (
  app,
  { useCases, publicUrl, settings: { maxBatch } },
) => {
  const runner = createRunner(useCases, publicUrl);
  parseJsonBody(app, { mayBeEmpty: true });
  app.setErrorHandler(createErrorHandler({ publicUrl, maxBatch }));

  // What cannot be answered whatever the body says is refused before it is read.
  app.addHook('onRequest', async (request) => {
    const calls = readCalls(request);
    if (calls.names.length > maxBatch) {
      throw new ProtocolError('batch_too_large', {
        message: `The batch holds more than ${maxBatch} calls.`,
      });
    }
    if (wantsStream(request)) {
      throw new AccessError('invalid_parameter', {
        message:
          'Answers are not streamed: use httpBatchLink, and do not accept application/jsonl.',
      });
    }
    if (!['GET', 'HEAD', 'POST'].includes(request.method)) {
      throw new ProtocolError('method_not_allowed', { allow: runner.methodsOf(calls) });
    }
  });

  const config = { points: createCost(maxBatch) };
  for (const path of ['/', '/*']) {
    app.all(path, { config }, async (request: FastifyRequest, reply: FastifyReply) => {
      const calls = readCalls(request);
      return send(reply, await runner.run(calls, request), calls.isBatch);
    });
  }
};
