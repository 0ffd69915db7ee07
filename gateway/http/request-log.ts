import type { FastifyReply, FastifyRequest } from 'fastify';
import { actsFor } from '#http';
import { redactKeys } from '../logs/redact-keys.ts';
import { parseTraceparent } from '../tracing/trace-context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace ID of the request's span. Null without tracing. */
    traceId: string | null;
  }
}

/**
 * Logs one line per request. It never contains a key, a body or a query string. Health checks are logged at a lower
 * level,
 * because they are so frequent.
 */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { investorId, companyId } = actsFor(request);
  const { isProbe = false } = request.routeOptions.config;
  request.log[isProbe ? 'debug' : 'info'](
    {
      method: request.method,
      path: redactKeys(request.url.replace(/\?.*$/s, '')).slice(0, 500),
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      // Lets callers match our lines with theirs.
      trace_id: request.traceId ?? parseTraceparent(request.headers.traceparent)?.traceId,
      key_id: request.caller?.credentialId,
      investor_id: investorId,
      company_id: companyId,
    },
    'request',
  );
}
