import type { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import type { RateLimiter } from '#core';

/** What a request waits for the rate limit is a span. */
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
