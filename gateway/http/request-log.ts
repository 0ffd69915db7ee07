import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { redactKeys } from '../logs/redact-keys.ts';

/** One line a request: what, who, how it ended. Never a key, a body or a query string. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply);
    done();
  });
}

export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      path: redactKeys(request.url.replace(/\?.*$/s, '')).slice(0, 500),
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      key_id: request.caller?.keyId,
      investor_id: request.caller?.investorId,
    },
    'request',
  );
}
