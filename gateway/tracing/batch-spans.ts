import {
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Tracing } from './tracing.ts';

/**
 * A statement that many requests share is a span in the trace of each of them, from its first question to its answer: one
 * for a request, however many of the questions are its own.
 */
export const traceBatches =
  (tracer: Tracer): Tracing['traceBatch'] =>
  ({ name, size, askedAt, sentAt, answeredAt, succeeded, contexts }) => {
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
          startTime: toEpoch(askedAt),
          attributes: {
            'db.system.name': 'postgresql',
            'db.operation.batch.size': size,
            'portfolio_access.questions': own,
            'portfolio_access.wait_ms': sentAt - askedAt,
          },
        },
        trace.setSpan(ROOT_CONTEXT, parent),
      );
      if (!succeeded) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(toEpoch(answeredAt));
    }
  };

const toEpoch = (milliseconds: number) => performance.timeOrigin + milliseconds;
