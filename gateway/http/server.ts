import { type IncomingMessage, METHODS } from 'node:http';
import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type HTTPMethods,
  LogController,
} from 'fastify';
import type { CallerUseCases, Protocol, RateLimiter } from '#core';
import { type GraphqlSettings, graphqlAdapter } from '#graphql-adapter';
import { createErrorHandler, ProtocolError, paceLongBodies, refuseOtherPaths } from '#http';
import { restAdapter } from '#rest-adapter';
import { type TrpcSettings, trpcAdapter } from '#trpc-adapter';
import { serveDocs } from '../docs/index.ts';
import { type Health, serveHealth } from '../health.ts';
import { createId } from '../ids.ts';
import { admit, createCharge, introduce, isOpen, readCredential } from './admission.ts';
import { watchConnections } from './connections.ts';
import { refusalOfBody, refusalOfHeaders } from './request-form.ts';
import { logRequest, logRequests } from './request-log.ts';
import { limitRequestsAtOnce } from './requests-at-once.ts';
import { createUnreadableRefusal } from './unreadable-request.ts';

export interface HttpServerOptions {
  readonly callerUseCases: CallerUseCases;
  readonly rateLimiter: Pick<RateLimiter, 'policy'>;
  readonly health: Health;
  readonly publicUrl: () => string;
  readonly logger: FastifyBaseLogger;
  readonly graphql: GraphqlSettings;
  readonly trpc: TrpcSettings;
  /** Called once for each request that has been answered. */
  readonly observe?: (request: FastifyRequest, reply: FastifyReply) => void;
  readonly timeouts?: Partial<Timeouts>;
}

/** In milliseconds. */
interface Timeouts {
  /** For the whole request to arrive. */
  readonly request: number;
  /** For its headers to arrive. */
  readonly headers: number;
  /** For the next request on a connection that is kept open. */
  readonly keepAlive: number;
  /** For the next byte of an answer to be taken. Longer than any answer is made. */
  readonly unread: number;
}

const defaultTimeouts: Timeouts = {
  request: 30_000,
  headers: 10_000,
  keepAlive: 72_000,
  unread: 120_000,
};
const bodyLimit = 64 * 1024;

/** The HTTP side of the service: admits callers and puts the adapters, the docs and the health checks in their places. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { callerUseCases, rateLimiter, publicUrl } = options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const handleError = createErrorHandler(publicUrl);
  const refuseUnreadable = createUnreadableRefusal(options);
  const app = fastify({
    loggerInstance: options.logger,
    genReqId: () => createId('req'),
    requestIdHeader: false,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    bodyLimit,
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.unread,
    keepAliveTimeout: timeouts.keepAlive,
    http: {
      headersTimeout: timeouts.headers,
      // Node looks for what came too slowly only now and then: every 30 s if it is not told otherwise.
      connectionsCheckingInterval: Math.ceil(timeouts.headers / 4),
      // Without it Node would answer a request without Host by itself, outside of our envelope.
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16 * 1024 },
    rewriteUrl: ({ url = '/' }) => repairPercentEncoding(url),
    clientErrorHandler: ({ code }, socket) => void refuseUnreadable(code, socket, app.connections),
    // What the router cannot take for a path, as in `OPTIONS *`, comes past every hook.
    frameworkErrors: (_error, request, answer) => {
      const reply = answer as FastifyReply;
      introduce(request, reply, rateLimiter);
      app.connections.announceEnd(request, reply);
      const refusal = refusalOfHeaders(request) ?? new ProtocolError('route_not_found');
      handleError(refusal, request, reply);
      logRequest(request, reply);
    },
  });
  // Whatever the expectation is, the request is answered as it stands.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  );
  // Node would end the connection without a word.
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => undefined);
    void refuseUnreadable('CONNECT', socket, app.connections);
  });
  watchConnections(app);
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method as HTTPMethods)) app.addHttpMethod(method);
  }

  const enter = limitRequestsAtOnce(app);
  app.decorateRequest('caller', null);
  app.decorateRequest('rateLimit');
  app.addHook('onRequest', async (request, reply) => {
    introduce(request, reply, rateLimiter);
    const refusal = refusalOfHeaders(request);
    if (refusal !== null) throw refusal;
    const credential = readCredential(request);
    const { isProbe = false } = request.routeOptions.config;
    if (!isProbe && !(await enter(request, reply, credential))) return reply.hijack();
    if (!isOpen(request)) await admit(request, reply, credential, callerUseCases);
    return undefined;
  });
  // After the hooks that refuse a method or a path, whatever the body is.
  app.addHook('preParsing', (request, _reply, _payload, done) => done(refusalOfBody(request)));
  const { observe } = options;
  if (observe) {
    app.addHook('onResponse', (request, reply, done) => {
      observe(request, reply);
      done();
    });
  }
  paceLongBodies(app);
  logRequests(app);

  app.setErrorHandler(handleError);
  const shared = { useCases: callerUseCases, publicUrl };
  await app.register(restAdapter, { prefix: '/v1', ...shared });
  await app.register(async (graphql) => {
    serveBy('graphql', graphql);
    const charge = createCharge(callerUseCases);
    const settings = options.graphql;
    await graphql.register(graphqlAdapter, { prefix: '/graphql', ...shared, charge, settings });
  });
  await app.register(async (trpc) => {
    serveBy('trpc', trpc);
    await trpc.register(trpcAdapter, { prefix: '/trpc', ...shared, settings: options.trpc });
  });
  await app.register(serveDocs);
  await app.register(serveHealth, { health: options.health });
  refuseOtherPaths(app, { open: true });
  return app;
}

/** Says by which protocol the routes are served that follow; REST needs no saying. */
function serveBy(protocol: Protocol, scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, protocol };
  });
}

/** A path that cannot be decoded is taken literally: it then names nothing, and is refused like any other such path. */
function repairPercentEncoding(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + (end === -1 ? '' : url.slice(end));
  }
}
