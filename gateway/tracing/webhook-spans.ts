import { SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { isSuccess } from '#core';
import type { TraceWebhook } from '../webhooks/sender.ts';

/** An attempt to deliver a webhook is a span of its own trace, which its receiver can go on with. */
export const traceWebhooks =
  (tracer: Tracer): TraceWebhook =>
  async ({ url, id }, send) => {
    const span = tracer.startSpan('webhook', {
      kind: SpanKind.CLIENT,
      root: true,
      attributes: {
        'http.request.method': 'POST',
        // Of the address nothing more: what stands behind the host may be a secret.
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
