import { type IncomingMessage, METHODS, type Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyPluginOptions,
  type FastifyRegisterOptions,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  type HTTPMethods,
  LogController,
} from 'fastify';
import {
  AccessError,
  type CompanyUseCases,
  type ContactUseCases,
  type InvestorUseCases,
  type RateLimiter,
  type ServiceUseCases,
} from '#core';
import { desk, type MailsSent } from '#desk';
import { type GraphqlSettingsInput, graphqlAdapter } from '#graphql-adapter';
import {
  createErrorHandler,
  type DataCache,
  ProtocolError,
  refuseOtherPaths,
  trackEventStreams,
} from '#http';
import { mcpAdapter } from '#mcp-adapter';
import { companyRestAdapter, restAdapter } from '#rest-adapter';
import { type TrpcSettings, trpcAdapter } from '#trpc-adapter';
import { serveDocs } from '../docs/index.ts';
import { type Health, serveHealth } from '../health.ts';
import { createId } from '../ids.ts';
import { sendChallenges, serveProtectedResource } from '../oauth/protected-resource.ts';
import { serveJwks } from '../signing/jwks.ts';
import type { Tracing } from '../tracing/open-telemetry.ts';
import { readVersion } from '../version.ts';
import {
  admit,
  createCharge,
  isPublicRoute,
  readCredential,
  setCommonHeaders,
} from './admission.ts';
import { limitConcurrency } from './concurrency-limit.ts';
import { ConnectionLimit, logClosedConnections } from './connection-limit.ts';
import { defaultTimeouts, type Timeouts, watchConnections } from './connections.ts';
import { allowOrigins } from './cors.ts';
import { checkHeaders, checkTransferCoding, refuseBody } from './request-headers.ts';
import { logRequest } from './request-log.ts';
import { createUnreadableRefusal } from './unreadable-request.ts';

export interface HttpServerOptions {
  readonly investorUseCases: InvestorUseCases;
  readonly companyUseCases: CompanyUseCases;
  readonly contactUseCases: ContactUseCases;
  readonly hasDesk: boolean;
  readonly grantTtlDays: number;
  /** The kinds of mails that the service sends. By default, it sends all kinds. */
  readonly mails?: MailsSent;
  readonly providerName?: string | undefined;
  /** The issuer whose access tokens are accepted. If absent, only API keys are accepted. */
  readonly authorizationServer?: string | undefined;
  readonly cache: DataCache;
  readonly rateLimiter: Pick<RateLimiter, 'policy'>;
  readonly health: Health;
  readonly listPublicKeys: ServiceUseCases['listPublicKeys'];
  readonly publicUrl: () => string;
  readonly now: () => Date;
  readonly trustedProxies?: readonly string[] | null;
  readonly corsOrigins?: readonly string[];
  readonly logger: FastifyBaseLogger;
  readonly graphql: GraphqlSettingsInput;
  readonly trpc?: TrpcSettings;
  readonly onCall?: () => void;
  /** Called after the response, or after the client has disconnected. */
  readonly observe?: Observe;
  readonly tracing?: Pick<Tracing, 'traceRequests'> | null;
  readonly timeouts?: Partial<Timeouts>;
  /** Returns false while callers can't be authenticated. Health checks and public pages are still served. */
  readonly mayServe?: () => boolean;
  /** By default, there is no limit. */
  readonly maxConnections?: number;
}

type Observe = (request: FastifyRequest, reply: FastifyReply) => void;

const bodyLimit = 64 * 1024;

export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { investorUseCases, companyUseCases, cache, rateLimiter, publicUrl, onCall, observe } =
    options;
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const refuseUnreadable = createUnreadableRefusal(options);
  const app = fastify({
    loggerInstance: options.logger,
    genReqId: () => createId('req'),
    requestIdHeader: false,
    trustProxy: options.trustedProxies ? [...options.trustedProxies] : false,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: 'request_id',
    }),
    bodyLimit,
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.answer,
    keepAliveTimeout: timeouts.keepAlive,
    http: {
      headersTimeout: timeouts.headers,
      // By default, Node checks for slow requests only every 30 s.
      connectionsCheckingInterval: Math.ceil(timeouts.headers / 4),
      // Turns off Node's own answer to a request without a Host header, because this answer lacks the error envelope.
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16 * 1024 },
    rewriteUrl: ({ url = '' }) => toRoutable(url),
    clientErrorHandler: ({ code, rawPacket }, socket) =>
      void refuseUnreadable({ code, rawPacket }, socket, app.connections),
  });
  // Treats a request with an Expect header like every other request.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  );
  // Answers CONNECT with an error. By default, Node closes the connection without a response.
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => undefined);
    void refuseUnreadable({ code: 'CONNECT' }, socket, app.connections);
  });
  watchConnections(app, timeouts);
  const { maxConnections = Number.POSITIVE_INFINITY, logger } = options;
  const connections = new ConnectionLimit(
    app.server as Server,
    maxConnections,
    logClosedConnections(logger, maxConnections),
  );
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method as HTTPMethods)) app.addHttpMethod(method);
  }

  const { mayServe = () => true, corsOrigins: origins = [] } = options;
  const admissions = { ...investorUseCases, ...companyUseCases, ...options.contactUseCases };
  app.decorateRequest('traceId', null);
  options.tracing?.traceRequests(app);
  setCommonHeaders(app, rateLimiter.policy);
  allowOrigins(app, origins);
  const { authorizationServer } = options;
  if (authorizationServer !== undefined) sendChallenges(app, publicUrl);
  const acquirePermits = limitConcurrency(app, connections);
  app.decorateRequest('caller', null);
  app.decorateRequest('refusalCode', null);
  app.decorateRequest('callOutcomes', null);
  if (observe) observeAborted(app, observe);
  app.addHook('onRequest', async (request, reply) => {
    checkTransferCoding(request, reply);
    checkHeaders(request);
    const credential = readCredential(request, publicUrl());
    const { isHealthCheck = false } = request.routeOptions.config;
    if (!isHealthCheck) {
      onCall?.();
      if (!(await acquirePermits(request, reply, credential))) return reply.hijack();
    }
    if (isPublicRoute(request)) return undefined;
    if (!mayServe()) throw new AccessError('service_unavailable');
    await admit(request, reply, credential, admissions);
    refuseStraySlash(request);
    return undefined;
  });
  // Must run after the routes' hooks, which refuse a method or a path before the body is checked.
  app.addHook('preParsing', (request, _reply, body, done) => done(refuseBody(request), body));
  trackEventStreams(app);
  app.addHook('onResponse', (request, reply, done) => {
    observe?.(request, reply);
    logRequest(request, reply);
    done();
  });

  app.setErrorHandler(createErrorHandler(publicUrl));
  const shared = { useCases: investorUseCases, cache, publicUrl };
  const charge = createCharge(investorUseCases);
  await mount({ protocol: 'rest' }, restAdapter, { prefix: '/v1', ...shared, charge });
  await mount({ principal: 'company' }, companyRestAdapter, {
    prefix: '/company/v1',
    useCases: companyUseCases,
    cache,
    publicUrl,
    charge,
  });
  await mount({ protocol: 'graphql' }, graphqlAdapter, {
    prefix: '/graphql',
    ...shared,
    charge,
    settings: options.graphql,
  });
  await mount({ protocol: 'trpc' }, trpcAdapter, { prefix: '/trpc', ...shared, ...options.trpc });
  await mount({ protocol: 'mcp' }, mcpAdapter, {
    prefix: '/mcp',
    ...shared,
    origins,
    version: readVersion(),
  });
  if (options.hasDesk) {
    const {
      now,
      grantTtlDays,
      mails = { links: true, notices: true },
      providerName = '',
    } = options;
    const useCases = {
      company: companyUseCases,
      investor: investorUseCases,
      contact: options.contactUseCases,
    };
    // The desk uses a session cookie, and pages of other origins must not use this cookie.
    await mount({ principal: 'contact', cors: false }, desk, {
      prefix: '/desk',
      ...{ useCases, publicUrl, now, mails, providerName, grantTtlDays, charge },
    });
  }
  await mount({ isPublic: true, operation: 'docs' }, serveDocs, { publicUrl });
  const { listPublicKeys, health } = options;
  await mount({ isPublic: true, operation: 'jwks' }, serveJwks, { listPublicKeys });
  if (authorizationServer !== undefined) {
    const config = { isPublic: true, operation: 'protected_resource' };
    await mount(config, serveProtectedResource, { authorizationServer, publicUrl });
  }
  await mount({ isPublic: true, isHealthCheck: true, operation: 'health' }, serveHealth, {
    health,
  });
  refuseOtherPaths(app, { isPublic: true });
  return app;

  async function mount<Options extends FastifyPluginOptions>(
    config: FastifyContextConfig,
    plugin: FastifyPluginAsync<Options>,
    pluginOptions: Options & FastifyRegisterOptions<Options>,
  ): Promise<void> {
    await app.register(async (scope) => {
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, ...config };
      });
      await scope.register(plugin, pluginOptions);
    });
  }
}

/**
 * Refuses a path with a slash at the end. The router would read `/v1/companies/` as a company with an empty ID.
 *
 * @throws ProtocolError `route_not_found`
 */
function refuseStraySlash({ url, routeOptions }: FastifyRequest): void {
  const { principal, protocol = 'rest' } = routeOptions.config;
  if (principal === 'contact' || protocol !== 'rest') return;
  const [path = ''] = url.split('?', 1);
  if (path.includes('//') || path.endsWith('/')) throw new ProtocolError('route_not_found');
}

/** Observes requests whose client disconnected before the end of the response. */
function observeAborted(app: FastifyInstance, observe: Observe): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) observe(request, reply);
    });
    done();
  });
}

/**
 * Returns the request target as a path for the router. A target that isn't a path, such as `OPTIONS *`, becomes an
 * unknown path. A path that can't be decoded also becomes an unknown path.
 */
function toRoutable(target: string): string {
  const url = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]+\/?/i, '/');
  if (!url.startsWith('/')) return '/*';
  const [path = ''] = url.split('?', 1);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}
