import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actsFor, errorCatalogue, isAborted, isEventStream, outcomesOf } from '#http';
import { protocolOf } from '../http/protocol.ts';
import { parseTraceparent } from './trace-context.ts';
import type { Tracing } from './tracing.ts';

/** Each request is a span below the caller's span. */
export function traceRequests(
  tracer: Tracer,
  current: AsyncLocalStorage<Span>,
): Pick<Tracing, 'traceRequests' | 'endRequest'> {
  const spans = new WeakMap<FastifyRequest, Span>();

  function endRequest(request: FastifyRequest, reply: FastifyReply): void {
    const span = spans.get(request);
    if (span === undefined) return;
    spans.delete(request);
    describe(span, request, reply);
    span.end();
  }

  return {
    endRequest,

    traceRequests(app) {
      app.addHook('onRequest', (request, _reply, done) => {
        const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parentOf(request));
        spans.set(request, span);
        request.traceId = span.spanContext().traceId;
        current.run(span, done);
      });
      // Work that waited for the body continues in the connection's context.
      app.addHook('preValidation', (request, _reply, done) => {
        const span = spans.get(request);
        if (span === undefined) done();
        else current.run(span, done);
      });
      // A stream can stay open for days. Its span covers only the opening.
      app.addHook('onSend', (request, reply, payload, done) => {
        if (isEventStream(reply)) endRequest(request, reply);
        done(null, payload);
      });
    },
  };
}

function parentOf({ headers }: FastifyRequest) {
  const parent = parseTraceparent(headers.traceparent);
  if (parent === null) return ROOT_CONTEXT;
  const { traceId, spanId, flags: traceFlags } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Has the same content as the request's log line: no path, body, key or company data. */
function describe(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  if (!span.isRecording()) return;
  const { caller, routeOptions, method, id } = request;
  const { investorId, companyId } = actsFor(request);
  const protocol = protocolOf(request);
  const outcomes = outcomesOf(request);
  const [first] = outcomes;
  const hasLeft = isAborted(reply);
  const failed = outcomes.find(
    ({ outcome }) => outcome !== 'ok' && errorCatalogue[outcome].type === 'api_error',
  );
  const attributes: Attributes = {
    'http.request.method': method,
    'http.route': routeOptions.url,
    'http.response.status_code': hasLeft ? undefined : reply.statusCode,
    'portfolio_access.protocol': protocol,
    'portfolio_access.operation': outcomes.length === 1 ? first?.operation : 'batch',
    'portfolio_access.outcome': hasLeft ? 'aborted' : (failed ?? first)?.outcome,
    'portfolio_access.request_id': id,
    'portfolio_access.key_id': caller?.credentialId,
    'portfolio_access.investor_id': investorId,
    'portfolio_access.company_id': companyId,
  };
  if (outcomes.length > 1) {
    attributes['portfolio_access.calls'] = outcomes.map(
      ({ operation, outcome }) => `${operation} ${outcome}`,
    );
  }
  span.updateName(`${protocol} ${attributes['portfolio_access.operation']}`);
  span.setAttributes(attributes);
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR, message: failed.outcome });
}
