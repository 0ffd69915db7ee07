import cluster from 'node:cluster';
import type { Signer } from '#core';
import { seedDemo, signInToDemo, startMessage } from '#demo';
import { startCollectingAtRest } from './collect-at-rest.ts';
import { compose } from './compose.ts';
import type { Config } from './config.ts';
import { type EventPoller, startEventPoller } from './event-poller.ts';
import { readGraphqlSettings } from './graphql-settings.ts';
import { createDatabaseCheck } from './health.ts';
import { createHttpServer } from './http/server.ts';
import { createLogger, logStart } from './logs/logger.ts';
import { createOutageLog } from './logs/outage-log.ts';
import { demoSignInUrls, mailLinks } from './mail/links.ts';
import { startMailService } from './mail/mail-service.ts';
import { createMailer } from './mail/mailer.ts';
import { observeDatabase } from './observe-database.ts';
import { connectionLimit, watchOpenFiles } from './open-files.ts';
import {
  startConsentWatch,
  startRecordCounting,
  startSandbox,
  startSweeper,
} from './periodic-tasks.ts';
import { createRateLimiter } from './rate-limit/rate-limiter.ts';
import { awaitRights, describeRights, oneRole, returnIfRightsMissing } from './rights.ts';
import { runPeriodically } from './run-periodically.ts';
import { requireSchema } from './schema.ts';
import { describeSessions } from './sessions.ts';
import { drain, reloadOnHangup, stopOnSignal } from './shutdown.ts';
import { startWebhooks } from './webhooks/worker.ts';
import { sendMetricsToPrimary } from './workers/send-metrics.ts';
import { watchesConsents } from './workers/watcher.ts';

const partitionsMilliseconds = 3_600_000;

const clockWaitMilliseconds = 5_000;
const keyUsesMilliseconds = 60_000;

/** True in the first worker. Only this worker creates the demo data and logs lines that concern all workers. */
function isFirst(): boolean {
  return (cluster.worker?.id ?? 1) === 1;
}

/** Serves requests until the process is stopped. Then closes everything. */
export async function startService(config: Config): Promise<void> {
  const outages = createOutageLog();
  const logger = createLogger(config.logLevel, undefined, outages);
  logStart(logger, config);
  const graphqlSettings = await readGraphqlSettings(config);
  const rateLimiter = createRateLimiter({
    ...config.rateLimit,
    redisUrls: config.redisUrls,
    onChange: (health, reason) =>
      health === 'degraded'
        ? logger.warn({ reason }, 'Redis does not answer: the rate limit is counted per process')
        : logger.info('Redis answers again: the rate limit is shared'),
    onCallFailed: () => metrics?.countRedisFailure(),
  });
  let signer: Signer | undefined;
  // Registers the handler for SIGHUP as the first step. Without a handler, the signal would end the process.
  reloadOnHangup(async () => {
    if (await signer?.reload()) logger.info('read the signing key again');
  });
  // Both modules load OpenTelemetry, so they are imported only when needed.
  const tracing =
    config.tracing &&
    (await import('./tracing/open-telemetry.ts')).createTracing(config.tracing, logger);
  const measuring = config.metrics && (await import('./metrics/index.ts'));
  const metrics =
    measuring?.createMetrics(rateLimiter.health, () => composition.eventFeed.size) ?? null;
  let publicUrl = config.publicUrl;
  let mails: ReturnType<typeof startMailService> | undefined;
  let sandbox: ReturnType<typeof startSandbox> | undefined;
  let webhooks: ReturnType<typeof startWebhooks> | undefined;
  let eventPoller: EventPoller | undefined;
  const onError = (error: unknown) =>
    logger.error({ err: error }, 'an error occurred outside of a request');
  const composition = await compose(config, {
    role: 'service',
    rateLimiter: tracing
      ? { ...rateLimiter, spend: tracing.traceSpending(rateLimiter.spend) }
      : rateLimiter,
    hasServerClock: true,
    publicUrl: () => publicUrl ?? '',
    onSignInRequested: () => mails?.sendSignInLinks(),
    onEvents() {
      eventPoller?.wake();
      webhooks?.wake();
    },
    onSandboxRequest: () => sandbox?.run(),
    onError,
    onRefusalsDropped(count) {
      metrics?.countDroppedRefusals(count);
      logger.error(
        { count },
        'records of refusals were dropped: the database has not confirmed them',
      );
    },
    onProblem: (problem) => logger.warn(problem),
    onUnsignedReceipt: (accessRequestId) =>
      logger.warn(
        { accessRequestId },
        'the receipt of a change is not signed, so later receipts wait: run sign --missing',
      ),
    onTokenRefusal: (reason) => logger.info({ reason }, 'an access token was refused'),
    onUnprepared: () =>
      logger.warn(
        'the pooler of the database does not support prepared statements, so each statement is planned again',
      ),
    onWait: (lockOwner) => logger.warn(`waiting for ${lockOwner} to leave the data folder`),
    observer: observeDatabase(metrics, tracing),
    onDecision: metrics?.countDecision,
    traceWebhook: tracing?.traceWebhook,
  });
  signer = composition.signer;

  const { database, investorUseCases, companyUseCases, contactUseCases } = composition;
  const { serviceUseCases, cache, eventFeed } = composition;
  const databaseHealth = createDatabaseCheck(database);
  metrics?.showBacklogs(serviceUseCases.readBacklogs, config.smtp !== null);
  metrics?.showSources(serviceUseCases.countUnhealthySources);
  metrics?.showDatabase(database.load, databaseHealth);
  await requireSchema(database, config).catch(returnIfRightsMissing);
  const lack = describeRights(await database.missingRights());
  const problem = describeSessions(await database.findMissingSettings(), config);
  if (isFirst()) {
    const warnings = [problem, database.isOneRole && !database.isEmbedded ? oneRole : null];
    for (const found of warnings.filter((each) => each !== null)) {
      logger.warn(`${found.message}; ${found.advice}`);
    }
    if (lack !== null) {
      logger.error(`not ready, because rights are missing: ${lack.message}; ${lack.advice}`);
    }
  }
  // Waits for the database's time, which all later steps need.
  await database.ping(clockWaitMilliseconds);
  if (lack === null && (await composition.signer.current()) === null && isFirst()) {
    logger.warn('SIGNING_KEY_FILE is not set: values and receipts are not signed');
  }
  await rateLimiter.settle();
  const demo = lack === null && config.demo && isFirst() ? await seedDemo(composition) : null;

  const rights = awaitRights(database, lack === null);
  const maxConnections = connectionLimit();
  let calls = 0;
  const app = await createHttpServer({
    investorUseCases,
    companyUseCases,
    contactUseCases,
    hasDesk: config.desk,
    grantTtlDays: config.grantTtlDays,
    providerName: config.oidc?.label,
    authorizationServer: config.oauth?.issuer,
    mails: {
      links: config.smtp !== null && config.publicUrl !== null,
      notices: config.smtp !== null,
    },
    cache,
    rateLimiter,
    logger,
    graphql: graphqlSettings,
    publicUrl: () => publicUrl ?? '',
    now: () => composition.clock.now(),
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    onCall() {
      calls += 1;
    },
    ...((metrics || tracing) && {
      observe(request, reply) {
        metrics?.observeRequest(request, reply);
        tracing?.endRequest(request, reply);
      },
    }),
    tracing,
    listPublicKeys: serviceUseCases.listPublicKeys,
    health: { rateLimiter: rateLimiter.health, database: databaseHealth },
    mayServe: rights.mayServe,
    maxConnections,
  });
  let closeMetrics: (() => Promise<void>) | undefined;
  if (metrics && cluster.isWorker) sendMetricsToPrimary(metrics.registry);
  else if (metrics) {
    closeMetrics = await measuring?.serveMetrics(config, () => metrics.registry.metrics());
  }
  const url = await app.listen({ host: config.host, port: config.port });
  publicUrl ??= url;
  eventPoller = startEventPoller(eventFeed, {
    onRead: () => outages.end(logger),
    onOutage: (error) =>
      logger.warn({ err: error }, 'the feed of events cannot be read: event streams wait'),
    onError,
  });
  const openFiles = watchOpenFiles(logger);
  const collecting = startCollectingAtRest(() => calls);
  const sweeper = startSweeper(serviceUseCases, logger);
  sandbox = startSandbox(serviceUseCases, logger);
  const counting = startRecordCounting(serviceUseCases, logger);
  const watch = watchesConsents() ? startConsentWatch(serviceUseCases, logger) : null;
  if (watch !== null) metrics?.showConsentFindings(watch.countFindings);
  const partitions = runPeriodically(
    () => database.createPartitionsAhead(database.clock.now()),
    partitionsMilliseconds,
    (error) =>
      logger.error(
        { err: error },
        'the next partitions for access records were not created; the service will try again',
      ),
  );
  const keyUses = runPeriodically(serviceUseCases.storeKeyUses, keyUsesMilliseconds, (error) =>
    logger.error(
      { err: error },
      'the last uses of keys were not stored; the service will try again',
    ),
  );
  if (config.smtp === null && isFirst()) {
    logger.info('SMTP_URL is not set: no mail is sent; `mail list` shows the queue');
  }
  const hasLinks = config.signInWays.includes('link');
  if (hasLinks && (config.smtp === null || config.publicUrl === null) && isFirst()) {
    logger.info(
      'SMTP_URL or PUBLIC_URL is not set: no sign-in link is mailed; `desk link` creates one',
    );
  }
  mails = startMailService({
    useCases: serviceUseCases,
    mailer: config.smtp && createMailer(config.smtp),
    links: mailLinks(config),
    logger,
  });
  webhooks = startWebhooks({ useCases: serviceUseCases, logger, metrics });
  stopOnSignal(logger, async () => {
    await Promise.all([
      drain(app, logger),
      sweeper.stop(),
      sandbox?.stop(),
      counting.stop(),
      watch?.stop(),
      partitions.stop(),
      keyUses.stop(),
      rights.stop(),
      mails?.stop(),
      webhooks?.stop(),
      eventPoller?.stop(),
      openFiles.stop(),
      collecting.stop(),
      closeMetrics?.(),
    ]);
    await serviceUseCases.storeKeyUses().catch(() => undefined);
    await database.close();
    rateLimiter.close();
    await tracing?.stop();
  });

  logger.info({ url, max_connections: maxConnections }, 'listening');
  logger.flush();
  if (demo !== null) {
    const urls = hasLinks
      ? demoSignInUrls(await signInToDemo(composition.operatorUseCases, demo), publicUrl)
      : null;
    process.stdout.write(startMessage(demo, url, urls));
  }
}
