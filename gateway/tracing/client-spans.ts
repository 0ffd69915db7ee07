import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { isSuccess, type RateLimiter } from '#core';
import type { AnsweredBatch } from '#db';
import type { TraceWebhook } from '../webhooks/sender.ts';

/** Adds a span of a shared statement to the trace of each HTTP request that shares it. */
export const traceBatches =
  (tracer: Tracer) =>
  ({ name, size, queuedAt, sentAt, answeredAt, hasSucceeded, contexts }: AnsweredBatch): void => {
    const questions = new Map<Span, number>();
    for (const context of contexts) {
      const span = context as Span | undefined;
      if (span?.isRecording()) questions.set(span, (questions.get(span) ?? 0) + 1);
    }
    for (const [parent, own] of questions) {
      const span = tracer.startSpan(
        `database ${name}`,
        {
          kind: SpanKind.CLIENT,
          startTime: toEpoch(queuedAt),
          attributes: {
            'db.system.name': 'postgresql',
            'db.operation.batch.size': size,
            'portfolio_access.questions': own,
            'portfolio_access.wait_ms': sentAt - queuedAt,
          },
        },
        trace.setSpan(ROOT_CONTEXT, parent),
      );
      if (!hasSucceeded) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(toEpoch(answeredAt));
    }
  };

const toEpoch = (milliseconds: number) => performance.timeOrigin + milliseconds;

export function traceSpending(
  tracer: Tracer,
  current: AsyncLocalStorage<Span>,
  spend: RateLimiter['spend'],
): RateLimiter['spend'] {
  return async (bucket, points) => {
    const parent = current.getStore();
    if (!parent?.isRecording()) return spend(bucket, points);
    const context = trace.setSpan(ROOT_CONTEXT, parent);
    const options = { kind: SpanKind.CLIENT, attributes: { 'portfolio_access.points': points } };
    const span = tracer.startSpan('rate limit', options, context);
    return spend(bucket, points).finally(() => span.end());
  };
}

/** Starts a new trace for each attempt to deliver a webhook. The receiver can continue this trace. */
export const traceWebhooks =
  (tracer: Tracer): TraceWebhook =>
  async ({ url, id }, send) => {
    const span = tracer.startSpan('webhook', {
      kind: SpanKind.CLIENT,
      root: true,
      attributes: {
        'http.request.method': 'POST',
        // Reports only the host, because the path may contain a secret.
        'server.address': new URL(url).host,
        'portfolio_access.event_id': id,
      },
    });
    const { traceId, spanId, traceFlags } = span.spanContext();
    const flags = traceFlags.toString(16).padStart(2, '0');
    const outcome = await send({ traceparent: `00-${traceId}-${spanId}-${flags}` });
    if ('status' in outcome) span.setAttribute('http.response.status_code', outcome.status);
    else span.setAttribute('error.type', outcome.failure);
    if (!isSuccess(outcome)) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    return outcome;
  };
