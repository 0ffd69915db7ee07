import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { type CompanyScope, requireScope, type Scope } from '#core';
import {
  addVary,
  createErrorHandler,
  parseJsonBody,
  parseRecordLines,
  refuseOtherMethods,
  refuseOtherPaths,
  sendEventStream,
  sendTagged,
  serveStatic,
  setFirstEvent,
} from '#http';
import type { Api } from './api.ts';
import { createDecoder } from './decode.ts';
import { type Endpoint, mayLackBody } from './endpoint.ts';
import { heartbeat, lastEventOf, toEventStream, wantsEvents } from './event-stream.ts';
import { type StreamedList, type StreamedPieces, sendList, sendPieces } from './list-stream.ts';
import { createOpenApiDocument } from './openapi/document.ts';

const json = 'application/json; charset=utf-8';

/** Also serves the API's OpenAPI document. Register the app with the API's prefix. */
export function serveApi<Context>(
  app: FastifyInstance,
  api: Api<Context>,
  publicUrl: () => string,
): void {
  parseJsonBody(app, ({ routeOptions }) => routeOptions.config.mayLackBody === true);
  parseRecordLines(app);
  app.setErrorHandler(createErrorHandler(publicUrl));

  for (const endpoint of api.endpoints) serve(app, endpoint, api, publicUrl);

  const makeDocument = () => ({
    type: json,
    bytes: Buffer.from(JSON.stringify(createOpenApiDocument(api, publicUrl()))),
  });
  app.get(
    '/openapi.json',
    { config: { isPublic: true, operation: 'openapi' } },
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

function serve<Context>(
  app: FastifyInstance,
  endpoint: Endpoint<Context>,
  api: Api<Context>,
  publicUrl: () => string,
): void {
  const { method, path, companyParameter, watch, acceptedRecords, scope } = endpoint;
  const { decode, nameAsSent } = createDecoder(endpoint);
  const offersCsv = Object.values(endpoint.responses).some(({ csv }) => csv !== undefined);

  async function answer(request: FastifyRequest) {
    const input = decode(request);
    const context = api.createContext(request);
    try {
      return await (watch !== undefined && wantsEvents(request)
        ? watch(context, lastEventOf(input, request))
        : endpoint.handle(context, input));
    } catch (error) {
      throw nameAsSent(error);
    }
  }

  /** Sends a list. The use case checks the input when the first page or piece is read. */
  async function send(
    list: StreamedList | StreamedPieces,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    reply.type(json);
    try {
      return await ('pages' in list
        ? sendList(request, reply, list)
        : sendPieces(request, reply, list));
    } catch (error) {
      throw nameAsSent(error);
    }
  }

  app.route({
    method,
    url: routeUrl(path),
    ...(acceptedRecords && {
      bodyLimit: acceptedRecords.maxBytes,
      // Rejects callers without the scope before reading a long body.
      async preParsing({ caller }: FastifyRequest) {
        if (caller !== null && caller.kind !== 'signed_in' && scope !== undefined) {
          requireScope<Scope | CompanyScope>(caller, scope);
        }
      },
    }),
    config: {
      operation: endpoint.id,
      companyParameter,
      mayLackBody: mayLackBody(endpoint),
      acceptsRecords: acceptedRecords !== undefined,
    },
    handler: async (request, reply) => {
      const answerResult = await answer(request);
      if ('events' in answerResult) {
        const source = toEventStream(answerResult, request, publicUrl());
        setFirstEvent(reply, answerResult.after);
        return sendEventStream(request, reply, source, { heartbeat });
      }
      if ('pages' in answerResult || 'pieces' in answerResult)
        return send(answerResult, request, reply);
      if ('encoding' in answerResult) {
        reply.type(answerResult.type ?? json);
        if (offersCsv) addVary(reply, 'Accept');
        reply.header('cache-control', 'private, no-cache');
        return sendTagged(request, reply, answerResult);
      }
      reply.code(answerResult.status).headers(answerResult.headers ?? {});
      if (answerResult.body === undefined) return reply.send();
      return reply.type(json).send(JSON.stringify(answerResult.body));
    },
  });
}

function routeUrl(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
