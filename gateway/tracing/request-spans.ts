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
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorCatalogue, isAborted, isEventStream, organisationIdsOf, outcomesOf } from '#http';
import { protocolOf } from '../http/protocol.ts';
import { parseTraceparent } from './trace-context.ts';

export function traceRequests(tracer: Tracer, current: AsyncLocalStorage<Span>) {
  const spans = new WeakMap<FastifyRequest, Span>();

  /** Closes the span after the response, or after the client has disconnected. */
  function endRequest(request: FastifyRequest, reply: FastifyReply): void {
    const span = spans.get(request);
    if (span === undefined) return;
    spans.delete(request);
    describe(span, request, reply);
    span.end();
  }

  return {
    endRequest,

    traceRequests(app: FastifyInstance): void {
      app.addHook('onRequest', (request, _reply, done) => {
        const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parentOf(request));
        spans.set(request, span);
        request.traceId = span.spanContext().traceId;
        current.run(span, done);
      });
      // Reading the body loses the tracing context, so this hook restores it for the rest of the work.
      app.addHook('preValidation', (request, _reply, done) => {
        const span = spans.get(request);
        if (span === undefined) done();
        else current.run(span, done);
      });
      // A stream can stay open for days, so its span covers only the start.
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

/** Describes the HTTP request with the same fields as the log line: no path, body, key or company data. */
function describe(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  if (!span.isRecording()) return;
  const { caller, routeOptions, method, id } = request;
  const { investorId, companyId } = organisationIdsOf(request);
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
