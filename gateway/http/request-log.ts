import type { FastifyReply, FastifyRequest } from 'fastify';
import { actsFor } from '#http';
import { redactKeys } from '../logs/redact-keys.ts';
import { parseTraceparent } from '../tracing/trace-context.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the span of the request; null without tracing. */
    traceId: string | null;
  }
}

/**
 * One line for each request. It never holds a key, a body or a query string. Health checks come every few seconds for as
 * long as the service lives, so they are told to those alone who look for them.
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
      // By this a caller finds our lines with its own.
      trace_id: request.traceId ?? parseTraceparent(request.headers.traceparent)?.traceId,
      key_id: request.caller?.credentialId,
      investor_id: investorId,
      company_id: companyId,
    },
    'request',
  );
}
