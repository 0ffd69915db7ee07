import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { inject } from 'vitest';
import {
  type Clock,
  type CompanyUseCases,
  type ContactUseCases,
  createCompanyUseCases,
  createContactUseCases,
  createInvestorUseCases,
  createOperatorUseCases,
  createServiceUseCases,
  type InvestorUseCases,
  type OperatorUseCases,
  PolledEventFeed,
  type Ports,
  type ServiceUseCases,
} from '#core';
import { DataCache } from '#http';
import { compose } from '../../gateway/compose.ts';
import { type Config, readConfig } from '../../gateway/config.ts';
import { type EventPoller, startEventPoller } from '../../gateway/event-poller.ts';
import { readGraphqlSettings } from '../../gateway/graphql-settings.ts';
import { createDatabaseCheck } from '../../gateway/health.ts';
import { createHttpServer, type HttpServerOptions } from '../../gateway/http/server.ts';
import { createId } from '../../gateway/ids.ts';
import { createLogger } from '../../gateway/logs/logger.ts';
import type { Metrics } from '../../gateway/metrics/index.ts';
import type { RunningRateLimiter } from '../../gateway/rate-limit/process-rate-limiter.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import type { GraphqlBounds } from '../../graphql-adapter/settings.ts';
import { createMemoryPorts } from '../memory/index.ts';
import { checkAnswerRules } from './answer-rules.ts';
import { createFixtures, type Fixtures } from './fixtures.ts';
import { type Answer, type CallOptions, createHttpClient, type Json } from './http-client.ts';
import { openApiRules } from './openapi-rules.ts';
import { requireNoSecrets } from './secrets.ts';

export const publicUrl = 'https://access.example';

/**
 * PostgreSQL, an embedded database in a folder, or Maps. With `operatorUrl`, the operator has its
 * own role and connects to PostgreSQL directly, without a pooler.
 */
export type Storage =
  | { readonly databaseUrl: string; readonly operatorUrl?: string; readonly isPooled?: true }
  | { readonly dataDir: string }
  | { readonly memory: true };

export interface ServiceOptions {
  readonly storage: Storage;
  /** Without a proxy, the service's public address is its own address. */
  readonly isReachedDirectly?: boolean;
  /** Settings in the form of environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Limits that no setting can change, low enough for a test. */
  readonly bounds?: {
    readonly graphql?: Partial<GraphqlBounds>;
    readonly connections?: number;
    /** Has an effect only with the storage in memory. */
    readonly streamsPerOwner?: number;
  };
  readonly timeouts?: HttpServerOptions['timeouts'];
  /** The kinds of mails that the service can send, by default all. */
  readonly mails?: HttpServerOptions['mails'];
  /** As with the setting METRICS_PORT. */
  readonly metrics?: Metrics;
  /** Wraps the use cases before the protocol adapters get them. */
  readonly interpose?: (useCases: InvestorUseCases) => InvestorUseCases;
  readonly interposeCompanies?: (useCases: CompanyUseCases) => CompanyUseCases;
  readonly replace?: (ports: Ports) => Partial<Ports>;
}

/** The whole service on its own port, together with the operator's use cases. */
export interface TestService {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly contacts: ContactUseCases;
  readonly operator: OperatorUseCases;
  readonly background: ServiceUseCases;
  readonly fixtures: Fixtures;
  readonly eventFeed: PolledEventFeed;
  readonly document: Json;
  readonly companyDocument: Json;
  readonly log: readonly string[];
  /** Checks the answer against the rules for all answers and the service's OpenAPI document. */
  call(method: string, path: string, ask?: CallOptions): Promise<Answer>;
  get(path: string, key?: string | null): Promise<Answer>;
  post(
    path: string,
    key: string | null,
    body: unknown,
    headers?: CallOptions['headers'],
  ): Promise<Answer>;
  /** Checks an answer of another client in the same way. */
  check(answer: Answer): void;
  close(): Promise<void>;
}

export async function startService(options: ServiceOptions): Promise<TestService> {
  const config = readConfig({
    PUBLIC_URL: publicUrl,
    DEMO: 'off',
    ...('databaseUrl' in options.storage && {
      DATABASE_URL: options.storage.databaseUrl,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
      ...(options.storage.isPooled && { DATABASE_POOLER: 'transaction' }),
    }),
    ...('dataDir' in options.storage && { DATA_DIR: options.storage.dataDir }),
    ...options.environment,
  });
  const { bounds = {} } = options;
  const log: string[] = [];
  const logger = createLogger('trace', collectInto(log));
  const rateLimiter = createRateLimiter({ ...config.rateLimit, redisUrls: config.redisUrls });
  const {
    callers,
    companies,
    contacts,
    operator,
    background,
    cache,
    clock,
    database,
    ...assembly
  } = await assemble(options, config, rateLimiter, {
    reachedAt: () => reachedAt(),
    onEvents: () => eventPoller?.wake(),
  });
  const { eventFeed, close } = assembly;
  let eventPoller: EventPoller | undefined;
  const reachedAt = () => (options.isReachedDirectly === true ? addressOf(app) : publicUrl);
  const app: FastifyInstance = await createHttpServer({
    investorUseCases: options.interpose?.(callers) ?? callers,
    companyUseCases: options.interposeCompanies?.(companies) ?? companies,
    contactUseCases: contacts,
    hasDesk: config.desk,
    grantTtlDays: config.grantTtlDays,
    providerName: config.oidc?.label,
    authorizationServer: config.oauth?.issuer,
    cache,
    rateLimiter,
    logger,
    publicUrl: reachedAt,
    now: () => clock.now(),
    corsOrigins: config.corsOrigins,
    graphql: { ...(await readGraphqlSettings(config)), ...bounds.graphql },
    listPublicKeys: operator.listPublicKeys,
    health: { database, rateLimiter: rateLimiter.health },
    // A test must not wait for idle connections at its end.
    timeouts: { lastCall: 0, ...options.timeouts },
    ...(bounds.connections && { maxConnections: bounds.connections }),
    trustedProxies: config.trustedProxies,
    ...(options.mails && { mails: options.mails }),
    ...(options.metrics && { observe: options.metrics.observeRequest }),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  eventPoller = startEventPoller(eventFeed, { onError: () => undefined });

  const unchecked = createHttpClient(url);
  const document = (await unchecked.call('GET', '/v1/openapi.json')).body;
  const companyDocument = (await unchecked.call('GET', '/company/v1/openapi.json')).body;
  unchecked.close();
  const investorRules = openApiRules(document);
  const companyRules = openApiRules(companyDocument);
  const check = (answer: Answer): void => {
    checkAnswerRules(answer, reachedAt());
    const rules = answer.path.startsWith('/company/') ? companyRules : investorRules;
    rules.check(answer);
  };
  const client = createHttpClient(url, check);

  return {
    app,
    url,
    contacts,
    operator,
    background,
    fixtures: createFixtures(operator, callers),
    eventFeed,
    document,
    companyDocument,
    log,
    check,
    call: client.call,
    get: (path, key = null) => client.call('GET', path, { key }),
    post: (path, key, body, headers = {}) => client.call('POST', path, { key, body, headers }),
    async close() {
      client.close();
      await app.close();
      await eventPoller?.stop();
      await close();
      rateLimiter.close();
      requireNoSecrets(log.join('\n'), 'the log');
      requireNoSecrets((await options.metrics?.registry.metrics()) ?? '', 'a metric');
    },
  };
}

function addressOf({ server }: FastifyInstance): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Assembly {
  readonly callers: InvestorUseCases;
  readonly companies: CompanyUseCases;
  readonly contacts: ContactUseCases;
  readonly operator: OperatorUseCases;
  readonly background: ServiceUseCases;
  readonly cache: DataCache;
  readonly clock: Clock;
  readonly eventFeed: PolledEventFeed;
  readonly database: HttpServerOptions['health']['database'];
  close(): Promise<void>;
}

let made = 0;

/** The store in memory is fast, so IDs must increase even within one millisecond. */
function createOrderedId(prefix: string): string {
  made = (made + 1) % 4_096;
  const id = createId(prefix);
  const end = prefix.length + 14;
  return `${id.slice(0, end)}${made.toString(16).padStart(3, '0')}${id.slice(end + 3)}`;
}

async function assemble(
  { storage, metrics, bounds, replace = () => ({}) }: ServiceOptions,
  config: Config,
  rateLimiter: RunningRateLimiter,
  { reachedAt, onEvents }: { readonly reachedAt: () => string; readonly onEvents: () => void },
): Promise<Assembly> {
  if ('memory' in storage) {
    const { pendingTtlDays, grantTtlDays } = config;
    const memory = createMemoryPorts();
    const eventFeed = new PolledEventFeed(memory.accessEvents, {
      ...config.streams,
      ...(bounds?.streamsPerOwner && { perOwner: bounds.streamsPerOwner }),
    });
    const inMemory: Ports = {
      ...memory,
      eventFeed,
      clock: { now: () => new Date() },
      ids: { next: createOrderedId },
      rateLimiter,
      settings: { ...memory.settings, pendingTtlDays, grantTtlDays },
    };
    const ports = { ...inMemory, ...replace(inMemory) };
    return {
      callers: createInvestorUseCases(ports),
      companies: createCompanyUseCases(ports),
      contacts: createContactUseCases(ports),
      operator: createOperatorUseCases(ports),
      background: createServiceUseCases(ports),
      cache: new DataCache(config.memoryBytes),
      clock: ports.clock,
      eventFeed,
      database: async () => 'ok',
      close: async () => undefined,
    };
  }
  const composition = await compose(config, {
    role: 'service',
    rateLimiter,
    publicUrl: reachedAt,
    onEvents,
    // The test sees these errors in the answers.
    onError: () => undefined,
    observer: metrics && { ...metrics.observer, contextOfQuestion: () => null },
    onDecision: metrics?.countDecision,
  });
  const { database, investorUseCases, companyUseCases, contactUseCases } = composition;
  const { operatorUseCases, cache } = composition;
  const { eventFeed } = composition;
  const operatorUrl = 'operatorUrl' in storage ? storage.operatorUrl : undefined;
  const beside =
    operatorUrl === undefined
      ? null
      : await compose(
          { ...config, databaseUrl: operatorUrl, databasePooler: null },
          { role: 'command', rateLimiter, onError: () => undefined },
        );
  if (beside === null) await database.migrate();
  return {
    callers: investorUseCases,
    companies: companyUseCases,
    contacts: contactUseCases,
    operator: beside?.operatorUseCases ?? operatorUseCases,
    background: (beside ?? composition).serviceUseCases,
    cache,
    clock: composition.clock,
    eventFeed,
    database: createDatabaseCheck(database),
    async close() {
      await beside?.database.close();
      await database.close();
    },
  };
}

function collectInto(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}
