import type { FastifyReply, FastifyRequest } from 'fastify';
import { organisationIdsOf } from '#http';
import { redactKeys } from '../logs/redact-keys.ts';
import { parseTraceparent } from '../tracing/trace-context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if tracing is off. */
    traceId: string | null;
  }
}

/** The line never contains a key, a body or a query string. Health checks have a lower level. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { investorId, companyId } = organisationIdsOf(request);
  const { isHealthCheck = false } = request.routeOptions.config;
  request.log[isHealthCheck ? 'debug' : 'info'](
    {
      method: request.method,
      path: redactKeys(request.url.replace(/\?.*$/s, '')).slice(0, 500),
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      // With this ID, callers can find the lines about the same request in their own log.
      trace_id: request.traceId ?? parseTraceparent(request.headers.traceparent)?.traceId,
      key_id: request.caller?.credentialId,
      investor_id: investorId,
      company_id: companyId,
    },
    'request',
  );
}
