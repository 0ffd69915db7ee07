import { type IncomingMessage, METHODS, type Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyContextConfig,
  type FastifyInstance,
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
import { type GivenSettings, graphqlAdapter } from '#graphql-adapter';
import {
  createErrorHandler,
  type DataCache,
  refuseOtherPaths,
  throttleLongBodies,
  trackEventStreams,
} from '#http';
import { mcpAdapter } from '#mcp-adapter';
import { companyRestAdapter, restAdapter } from '#rest-adapter';
import { type TrpcSettings, trpcAdapter } from '#trpc-adapter';
import { serveDocs } from '../docs/index.ts';
import { type Health, serveHealth } from '../health.ts';
import { createId } from '../ids.ts';
import { serveJwks } from '../signing/jwks.ts';
import type { Tracing } from '../tracing/index.ts';
import { readVersion } from '../version.ts';
import { admit, createCharge, isOpen, readCredential, setCommonHeaders } from './admission.ts';
import { limitConcurrency } from './concurrency-limit.ts';
import { ConnectionLimit, logClosedConnections } from './connection-limit.ts';
import { watchConnections } from './connections.ts';
import { allowOrigins } from './cors.ts';
import { checkBodyHeaders, checkHeaders, checkTransferCoding } from './request-headers.ts';
import { logRequest } from './request-log.ts';
import { defaultTimeouts, type Timeouts } from './timeouts.ts';
import { createUnreadableRefusal } from './unreadable-request.ts';

export interface HttpServerOptions {
  readonly investorUseCases: InvestorUseCases;
  readonly companyUseCases: CompanyUseCases;
  readonly contactUseCases: ContactUseCases;
  /** Whether there are pages for contacts. */
  readonly hasDesk: boolean;
  /** How long a grant lasts when the company names no end. */
  readonly grantTtlDays: number;
  /** What is mailed to contacts; all when absent. */
  readonly mails?: MailsSent;
  readonly cache: DataCache;
  readonly rateLimiter: Pick<RateLimiter, 'policy'>;
  readonly health: Health;
  readonly listPublicKeys: ServiceUseCases['listPublicKeys'];
  readonly publicUrl: () => string;
  /** The time by which pages for contacts show and check what is due. */
  readonly now: () => Date;
  /** Whose word is taken for where a request comes from. */
  readonly trustedProxies?: readonly string[] | null;
  /** The origins whose pages may call the service. */
  readonly corsOrigins?: readonly string[];
  readonly logger: FastifyBaseLogger;
  readonly graphql: GivenSettings;
  readonly trpc?: TrpcSettings;
  /** Called once for each request, when it has been answered or its client has left before. */
  readonly observe?: Observe;
  readonly tracing?: Pick<Tracing, 'traceRequests'> | null;
  readonly timeouts?: Partial<Timeouts>;
  /** Whether callers are answered; absent: always. Health checks and what is open to everybody are, in any case. */
  readonly mayServe?: () => boolean;
  /** How many connections are held open; absent: any number. */
  readonly maxConnections?: number;
}

type Observe = (request: FastifyRequest, reply: FastifyReply) => void;

const bodyLimit = 64 * 1024;

/** The HTTP side of the service: admits the callers and registers the adapters, the docs and the health checks. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { investorUseCases, companyUseCases, cache, rateLimiter, publicUrl, observe } = options;
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
      // Node checks for slow requests only at intervals: every 30 s by default.
      connectionsCheckingInterval: Math.ceil(timeouts.headers / 4),
      // Otherwise Node answers a request without Host by itself, without our envelope.
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16 * 1024 },
    rewriteUrl: ({ url = '' }) => toRoutable(url),
    clientErrorHandler: ({ code }, socket) => void refuseUnreadable(code, socket, app.connections),
  });
  // A request is answered as it is, whatever its Expect header says.
  app.server.on('checkExpectation', (request, response) =>
    app.server.emit('request', request, response),
  );
  // By default Node ends the connection without an answer.
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => undefined);
    void refuseUnreadable('CONNECT', socket, app.connections);
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

  const { mayServe = () => true } = options;
  const { admitCaller } = investorUseCases;
  const { admitCompany } = companyUseCases;
  const { admitContact } = options.contactUseCases;
  const useCases = { admitCaller, admitCompany, admitContact };
  app.decorateRequest('traceId', null);
  options.tracing?.traceRequests(app);
  setCommonHeaders(app, rateLimiter.policy);
  allowOrigins(app, options.corsOrigins ?? []);
  const acquirePermits = limitConcurrency(app, connections);
  app.decorateRequest('caller', null);
  app.decorateRequest('refusalCode', null);
  app.decorateRequest('callOutcomes', null);
  if (observe) observeAborted(app, observe);
  app.addHook('onRequest', async (request, reply) => {
    checkTransferCoding(request, reply);
    checkHeaders(request);
    const credential = readCredential(request, publicUrl());
    const { isProbe = false } = request.routeOptions.config;
    if (!isProbe && !(await acquirePermits(request, reply, credential))) return reply.hijack();
    if (isOpen(request)) return undefined;
    if (!mayServe()) throw new AccessError('service_unavailable');
    await admit(request, reply, credential, useCases);
    return undefined;
  });
  // After the hooks of routes that refuse a method or a path, whatever the body is.
  app.addHook('preParsing', async (request) => checkBodyHeaders(request));
  throttleLongBodies(app);
  trackEventStreams(app);
  app.addHook('onResponse', (request, reply, done) => {
    observe?.(request, reply);
    logRequest(request, reply);
    done();
  });

  app.setErrorHandler(createErrorHandler(publicUrl));
  const shared = { useCases: investorUseCases, cache, publicUrl };
  await app.register(async (rest) => {
    setConfig({ protocol: 'rest' }, rest);
    await rest.register(restAdapter, { prefix: '/v1', ...shared });
  });
  await app.register(async (company) => {
    setConfig({ principal: 'company' }, company);
    const settings = { useCases: companyUseCases, publicUrl };
    await company.register(companyRestAdapter, { prefix: '/company/v1', ...settings });
  });
  await app.register(async (graphql) => {
    setConfig({ protocol: 'graphql' }, graphql);
    const charge = createCharge(investorUseCases);
    const settings = options.graphql;
    await graphql.register(graphqlAdapter, { prefix: '/graphql', ...shared, charge, settings });
  });
  await app.register(async (trpc) => {
    setConfig({ protocol: 'trpc' }, trpc);
    await trpc.register(trpcAdapter, { prefix: '/trpc', ...shared, ...options.trpc });
  });
  await app.register(async (mcp) => {
    setConfig({ protocol: 'mcp' }, mcp);
    const origins = options.corsOrigins ?? [];
    const version = readVersion();
    await mcp.register(mcpAdapter, { prefix: '/mcp', ...shared, origins, version });
  });
  if (options.hasDesk) {
    await app.register(async (contacts) => {
      // A session is a credential of the browser's own.
      setConfig({ principal: 'contact', cors: false }, contacts);
      const useCases = { company: companyUseCases, contact: options.contactUseCases };
      const { now, grantTtlDays, mails = { links: true, notices: true } } = options;
      const settings = { useCases, publicUrl, now, mails, grantTtlDays };
      await contacts.register(desk, { prefix: '/desk', ...settings });
    });
  }
  await app.register(async (documents) => {
    setConfig({ operation: 'docs' }, documents);
    await documents.register(serveDocs, { publicUrl });
  });
  await app.register(serveJwks, { listPublicKeys: options.listPublicKeys });
  await app.register(serveHealth, { health: options.health });
  refuseOtherPaths(app, { open: true });
  return app;
}

/** A request whose client has left has no response that ends. */
function observeAborted(app: FastifyInstance, observe: Observe): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) observe(request, reply);
    });
    done();
  });
}

/** For the routes that are registered after this. */
function setConfig(
  config: Pick<FastifyContextConfig, 'principal' | 'protocol' | 'cors' | 'operation'>,
  scope: FastifyInstance,
): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, ...config };
  });
}

/**
 * The target of a request as a path that the router can read. What is no path, as in `OPTIONS *`, or cannot be decoded,
 * is made a path that no route has, so that it is refused like any other unknown path.
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
