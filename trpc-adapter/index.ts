import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { InvestorUseCases } from '#core';
import {
  type DataCache,
  investorCallerOf,
  ProtocolError,
  parseJsonBody,
  setFirstEvent,
} from '#http';
import { createCost, methodsOf, operationOfCall, operationOfCalls, readCalls } from './calls.ts';
import { createErrorHandler } from './error-handler.ts';
import { runCalls, sendResults } from './results.ts';
import { streamResults } from './stream.ts';

import { createWriter } from './writer.ts';

export type { ErrorType } from '#core';
export type { ErrorCode } from '#http';

export type { AccessRecord, AccessRecordPage } from './access-records.ts';
export type { AccessRequestChange } from './access-request-changes.ts';
export type {
  AccessRequest,
  AccessRequestActor,
  AccessRequestEvent,
  AccessRequested,
  AccessRequestPage,
  AccessTerms,
  ConsentReceipt,
  ReceiptsHead,
} from './access-requests.ts';
export type { Account } from './accounts.ts';
export type { ApiKey, ApiKeyWithSecret } from './api-key.ts';
export type { Company } from './companies.ts';
export type { ChangedSource, CompanyDataChange } from './company-data-changes.ts';
export { type ErrorData, presentError as presentTrpcError } from './errors.ts';
export type { Metric, Verification } from './metrics.ts';
export type { AppRouter } from './router.ts';
export type { Source } from './sources.ts';
export type { StreamStart } from './subscription.ts';
export type {
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookTest,
} from './webhook-endpoints.ts';

export interface TrpcSettings {
  /** The maximum number of calls in an HTTP request. By default 20. */
  readonly maxBatch?: number;
}

interface TrpcAdapterOptions extends TrpcSettings {
  readonly useCases: InvestorUseCases;
  readonly cache: DataCache;
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: () => string;
}

/** Register the adapter with the prefix `/trpc`. */
export const trpcAdapter: FastifyPluginAsync<TrpcAdapterOptions> = async (
  app,
  { useCases, cache, publicUrl, maxBatch = 20 },
) => {
  parseJsonBody(app, () => true);
  app.setErrorHandler(createErrorHandler({ publicUrl, maxBatch }));

  // Rejects a wrong method or a batch that is too large before the body is read.
  app.addHook('onRequest', async (request) => {
    const calls = readCalls(request);
    if (calls.names.length > maxBatch) {
      throw new ProtocolError('batch_too_large', {
        message: `The batch contains more than ${maxBatch} calls.`,
      });
    }
    if (!['GET', 'HEAD', 'POST'].includes(request.method)) {
      throw new ProtocolError('method_not_allowed', { allow: methodsOf(calls) });
    }
  });

  const config = { points: createCost(maxBatch), operation: operationOfCalls };
  for (const path of ['/', '/*']) {
    app.all(path, { config }, async (request: FastifyRequest, reply: FastifyReply) => {
      const calls = readCalls(request);
      const write = createWriter(cache, request, calls);
      const startEvents = (after: string) => void setFirstEvent(reply, after);
      const caller = investorCallerOf(request);
      const ctx = { useCases, caller, publicUrl: publicUrl(), write, startEvents };
      if (calls.isStream) return streamResults(calls, ctx, request, reply);
      const results = await runCalls(calls, ctx, request);
      request.callOutcomes = results.map(({ refusal }, index) => ({
        operation: operationOfCall(calls.names[index] ?? ''),
        outcome: refusal?.code ?? 'ok',
      }));
      return sendResults(reply, results, calls.isBatch);
    });
  }
};
