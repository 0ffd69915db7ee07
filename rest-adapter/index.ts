import type { FastifyInstance, FastifyPluginAsync, HTTPMethods } from 'fastify';
import type { CallerUseCases } from '#core';
import {
  createErrorHandler,
  type DataCache,
  parseJsonBody,
  refuseOtherMethods,
  refuseOtherPaths,
  sendTagged,
  serveStatic,
} from '#http';
import { accessRequestEndpoints } from './access-requests.ts';
import { accountEndpoints } from './accounts.ts';
import { companyEndpoints } from './companies.ts';
import { createContext } from './context.ts';
import type { Endpoint } from './endpoint.ts';
import { metricEndpoints } from './metrics.ts';
import { createOpenApiDocument } from './openapi.ts';
import { reportEndpoints } from './reports.ts';
import { sourceEndpoints } from './sources.ts';

export { presentAccessRequest } from './access-requests.ts';
export { createOpenApiDocument } from './openapi.ts';
export { writeWebhook } from './webhook-body.ts';
export { presentWebhookDelivery, presentWebhookEndpoint } from './webhook-resources.ts';

interface RestAdapterOptions {
  readonly useCases: CallerUseCases;
  readonly cache: DataCache;
  /** Where the service can be reached from outside, without a trailing slash. */
  readonly publicUrl: () => string;
}

export const createEndpoints = (useCases: CallerUseCases): Endpoint[] => [
  ...companyEndpoints(useCases),
  ...accessRequestEndpoints(useCases),
  ...metricEndpoints(useCases),
  ...sourceEndpoints(useCases),
  ...accountEndpoints(useCases),
  ...reportEndpoints(useCases),
];

/** REST `/v1`, exactly as the contract says. Register it with the prefix `/v1`. */
export const restAdapter: FastifyPluginAsync<RestAdapterOptions> = async (
  app,
  { useCases, cache, publicUrl },
) => {
  const endpoints = createEndpoints(useCases);
  parseJsonBody(app);
  app.setErrorHandler(createErrorHandler(publicUrl));

  for (const endpoint of endpoints) serve(app, endpoint, cache);

  const makeDocument = () => ({
    type: 'application/json; charset=utf-8',
    bytes: Buffer.from(JSON.stringify(createOpenApiDocument(endpoints, publicUrl()))),
  });
  app.get('/openapi.json', { config: { open: true } }, serveStatic(makeDocument, publicUrl));

  const paths = new Map<string, HTTPMethods[]>([['/openapi.json', ['GET', 'HEAD']]]);
  for (const { path, method } of endpoints) {
    const methods = paths.get(path) ?? [];
    paths.set(path, [...methods, ...(method === 'GET' ? (['GET', 'HEAD'] as const) : [method])]);
  }
  for (const [path, methods] of paths) refuseOtherMethods(app, routeUrl(path), methods);
  refuseOtherPaths(app);
};

function serve(app: FastifyInstance, endpoint: Endpoint, cache: DataCache): void {
  app.route({
    method: endpoint.method,
    url: routeUrl(endpoint.path),
    config: { companyParameter: endpoint.companyParameter },
    handler: async (request, reply) => {
      const answer = await endpoint.handle(createContext(request, cache));
      reply.type('application/json; charset=utf-8');
      if ('encoding' in answer) {
        // A caller may keep what it has read, but must ask each time whether it may still read it.
        reply.header('cache-control', 'private, no-cache');
        return sendTagged(request, reply, answer);
      }
      const { status, headers, body } = answer;
      return reply
        .code(status)
        .headers(headers ?? {})
        .send(JSON.stringify(body));
    },
  });
}

/** `/companies/{id}` → `/companies/:id`. */
function routeUrl(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
