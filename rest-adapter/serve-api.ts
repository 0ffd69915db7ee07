import type { FastifyInstance, HTTPMethods } from 'fastify';
import {
  addVary,
  checkNames,
  createErrorHandler,
  parseJsonBody,
  refuseOtherMethods,
  refuseOtherPaths,
  sendEventStream,
  sendTagged,
  serveStatic,
  setFirstEvent,
} from '#http';
import type { Api } from './api.ts';
import type { Context } from './context.ts';
import { deprecationHeaders } from './deprecation.ts';
import { type Endpoint, mayLackBody, variesBy } from './endpoint.ts';
import { heartbeat, toEventStream } from './event-stream.ts';
import { sendList } from './list-stream.ts';
import { createOpenApiDocument } from './openapi/document.ts';

const json = 'application/json; charset=utf-8';

/** Serves an API and its document. The app must have its prefix. */
export function serveApi<C extends Context>(
  app: FastifyInstance,
  api: Api<C>,
  publicUrl: () => string,
): void {
  parseJsonBody(app, ({ routeOptions }) => routeOptions.config.mayLackBody === true);
  app.setErrorHandler(createErrorHandler(publicUrl));

  for (const endpoint of api.endpoints) serve(app, endpoint, api, publicUrl);

  const makeDocument = () => ({
    type: json,
    bytes: Buffer.from(JSON.stringify(createOpenApiDocument(api, publicUrl()))),
  });
  app.get(
    '/openapi.json',
    { config: { open: true, operation: 'openapi' } },
    serveStatic(makeDocument, publicUrl),
  );

  const paths = new Map<string, HTTPMethods[]>([['/openapi.json', ['GET', 'HEAD']]]);
  for (const { path, method } of api.endpoints) {
    const methods = paths.get(path) ?? [];
    paths.set(path, [...methods, ...(method === 'GET' ? (['GET', 'HEAD'] as const) : [method])]);
  }
  for (const [path, methods] of paths) refuseOtherMethods(app, routeUrl(path), methods);
  refuseOtherPaths(app);
}

function serve<C extends Context>(
  app: FastifyInstance,
  endpoint: Endpoint<C>,
  api: Api<C>,
  publicUrl: () => string,
): void {
  const { method, path, companyParameter, query, body, deprecated } = endpoint;
  const vary = variesBy(endpoint);
  app.route({
    method,
    url: routeUrl(path),
    config: { operation: endpoint.id, companyParameter, mayLackBody: mayLackBody(endpoint) },
    ...(deprecated && {
      onSend: async (_request, reply) =>
        void reply.headers(deprecationHeaders(deprecated, publicUrl())),
    }),
    handler: async (request, reply) => {
      checkNames(request.query as object, Object.keys(query?.shape ?? {}));
      // A body that nothing asks for is not read: whatever it holds is unknown.
      if (body === undefined) checkNames((request.body ?? {}) as object, []);
      const answer = await endpoint.handle(api.createContext(request));
      if ('events' in answer) {
        const source = toEventStream(answer, request, publicUrl());
        setFirstEvent(reply, answer.after);
        return sendEventStream(request, reply, source, { heartbeat });
      }
      if ('pages' in answer) return sendList(request, reply.type(json), answer);
      if ('encoding' in answer) {
        reply.type(answer.type ?? json);
        addVary(reply, ...vary);
        // A caller may keep what it has read, but must ask each time whether it may still read it.
        reply.header('cache-control', 'private, no-cache');
        return sendTagged(request, reply, answer);
      }
      reply.code(answer.status).headers(answer.headers ?? {});
      if (answer.body === undefined) return reply.send();
      return reply.type(json).send(JSON.stringify(answer.body));
    },
  });
}

/** `/companies/{id}` → `/companies/:id`. */
function routeUrl(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
