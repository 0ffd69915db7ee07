import { hash, randomBytes } from 'node:crypto';
import {
  type AccessRecord,
  type AccessRecords,
  type AccessTokens,
  type Clock,
  createCompanyUseCases,
  createContactUseCases,
  createInvestorUseCases,
  createOperatorUseCases,
  createServiceUseCases,
  KeyUses,
  type OpenIdConnect,
  PolledEventFeed,
  type Ports,
  type RateLimiter,
  type SignInLinks,
  type SigningKeys,
  sandboxCompanyIds,
} from '#core';
import { type DatabaseConfig, openDatabase } from '#db';
import type { FixedIds } from '#demo';
import { DataCache } from '#http';
import { cacheCompanyData } from './company-data-cache.ts';
import type { Config } from './config.ts';
import { createId } from './ids.ts';
import { notifyOfDataEvents, notifyOfRequestChanges } from './notify-of-changes.ts';
import { jwksPath } from './signing/jwks.ts';
import { createJwsVerifier } from './signing/jws-verifier.ts';
import { FileSigner } from './signing/signer.ts';
import { openSpool } from './spool.ts';
import { createWebhookSender, type TraceWebhook } from './webhooks/sender.ts';

export type Composition = Awaited<ReturnType<typeof compose>>;

interface ComposeOptions
  extends Pick<
    DatabaseConfig,
    'role' | 'onRefusalsDropped' | 'onUnprepared' | 'onWait' | 'observer'
  > {
  readonly rateLimiter: RateLimiter;
  /** True to use the clock of the database server, so that all processes share the same clock. */
  readonly hasServerClock?: boolean;
  /** The public URL of the service. The default is the configured URL. */
  readonly publicUrl?: () => string;
  readonly onSignInRequested?: () => void;
  readonly onEvents?: () => void;
  readonly onSandboxRequest?: () => void;
  /** Called for errors outside of HTTP requests. */
  readonly onError: (error: unknown) => void;
  readonly traceWebhook?: TraceWebhook | undefined;
  readonly onDecision?: ((record: AccessRecord) => void) | undefined;
  /** Called for a problem with the signing key file, the OpenID provider or the authorization server. */
  readonly onProblem?: (problem: string) => void;
  /** Called when an access token is refused. The reason never contains the token. */
  readonly onTokenRefusal?: (reason: string) => void;
  /** Called if a signing key is configured, but the receipt of a change isn't signed. */
  readonly onUnsignedReceipt?: (accessRequestId: string) => void;
}

export async function compose(config: Config, options: ComposeOptions) {
  const database = await openDatabase({
    databaseUrl: config.databaseUrl,
    backgroundUrl: options.role === 'service' ? config.databaseBackgroundUrl : null,
    isPooled: config.databasePooler === 'transaction',
    limits: { connections: config.databaseConnections },
    dataDir: config.dataDir,
    role: options.role,
    onError: options.onError,
    onRefusalsDropped: options.onRefusalsDropped,
    onUnprepared: options.onUnprepared,
    onWait: options.onWait,
    observer: options.observer,
  });
  const cache = new DataCache(config.memoryBytes);
  const { repositories, backgroundRepositories } = database;
  const eventFeed = new PolledEventFeed(backgroundRepositories.accessEvents, config.streams);
  const { onEvents = () => undefined, onProblem = () => undefined } = options;
  const onChange = (companyIds: ReadonlySet<string>): void => {
    onEvents();
    if (sandboxCompanyIds.some((id) => companyIds.has(id))) options.onSandboxRequest?.();
  };
  const clock: Clock = options.hasServerClock ? database.clock : { now: () => new Date() };
  const signer = new FileSigner({
    ...config.signingKey,
    signingKeys: repositories.signingKeys,
    clock,
    onProblem,
  });
  const signingKeys: SigningKeys = {
    ...repositories.signingKeys,
    async list() {
      const keys = await repositories.signingKeys.list();
      await signer.reloadIfUnknown(keys);
      return keys;
    },
  };
  const ports: Ports = {
    ...repositories,
    signingKeys,
    accessTokens: await openAuthorizationServer(config, options),
    accessRecords: observeDecisions(repositories.accessRecords, options.onDecision),
    accessRequests: notifyOfRequestChanges(repositories.accessRequests, onChange),
    imports: notifyOfDataEvents(repositories.imports, onEvents),
    companyData: cacheCompanyData(repositories.companyData, cache),
    clock,
    cryptography: {
      randomBytes: (count) => randomBytes(count),
      sha256: (text) => hash('sha256', text, 'hex'),
    },
    eventFeed,
    ids: { next: createId },
    keyUses: { apiKeys: new KeyUses(), companyKeys: new KeyUses() },
    jwsVerifier: createJwsVerifier(),
    openIdConnect: await openProvider(config, options),
    openSpool,
    rateLimiter: options.rateLimiter,
    reportUnsignedReceipt(id) {
      if (config.signingKey.path !== null) options.onUnsignedReceipt?.(id);
    },
    signer,
    signInLinks: notifyOfNewLinks(repositories.signInLinks, options.onSignInRequested),
    webhooks: {
      sender: createWebhookSender({ ...config.webhooks, trace: options.traceWebhook }),
      write: async (...args) => (await import('#rest-adapter')).writeWebhook(...args),
      retrySeconds: config.webhooks.retrySeconds,
    },
    settings: {
      pendingTtlDays: config.pendingTtlDays,
      grantTtlDays: config.grantTtlDays,
      signInWays: config.signInWays,
      publicKeyUrl: () => `${options.publicUrl?.() ?? config.publicUrl ?? ''}${jwksPath}`,
    },
  };
  // Background work uses other connections, so that it never delays callers.
  const backgroundPorts: Ports = {
    ...ports,
    ...backgroundRepositories,
    accessRequests: notifyOfRequestChanges(backgroundRepositories.accessRequests, onChange),
    imports: notifyOfDataEvents(backgroundRepositories.imports, onEvents),
  };
  return {
    database,
    clock,
    investorUseCases: createInvestorUseCases(ports),
    companyUseCases: createCompanyUseCases(ports),
    contactUseCases: createContactUseCases(ports),
    operatorUseCases: createOperatorUseCases(backgroundPorts),
    serviceUseCases: createServiceUseCases(backgroundPorts),
    /** For sample data. New objects get the given IDs, and the hosts of webhooks aren't checked. */
    withIds(fixedIds: FixedIds) {
      const { sender } = ports.webhooks;
      const sample: Ports = {
        ...ports,
        ids: { next: (prefix) => fixedIds[prefix] ?? createId(prefix) },
        webhooks: { ...ports.webhooks, sender: { ...sender, isAllowed: async () => true } },
      };
      return { operatorUseCases: createOperatorUseCases(sample) };
    },
    signer,
    cache,
    eventFeed,
  };
}

/** Loads openid-client only if sign-in with a provider is configured. */
async function openProvider(
  { oidc, publicUrl }: Config,
  { role, publicUrl: reachedAt, onProblem = () => undefined }: ComposeOptions,
): Promise<OpenIdConnect | null> {
  if (oidc === null || role !== 'service') return null;
  const { createOpenIdConnect } = await import('./openid-connect/index.ts');
  const redirectUri = () => `${reachedAt?.() ?? publicUrl ?? ''}/desk/sign-in/oidc/callback`;
  return createOpenIdConnect({ ...oidc, redirectUri, onProblem });
}

async function openAuthorizationServer(
  { oauth }: Config,
  {
    role,
    onProblem = () => undefined,
    onTokenRefusal: onRefusal = () => undefined,
  }: ComposeOptions,
): Promise<AccessTokens | null> {
  if (oauth === null || role !== 'service') return null;
  const { createAccessTokens } = await import('./oauth/access-tokens.ts');
  return createAccessTokens({ ...oauth, onProblem, onRefusal });
}

function observeDecisions(
  records: AccessRecords,
  observe: ((record: AccessRecord) => void) | undefined,
): AccessRecords {
  if (observe === undefined) return records;
  return {
    ...records,
    record(record) {
      observe(record);
      return records.record(record);
    },
    recordEventually(refusal) {
      observe(refusal);
      records.recordEventually(refusal);
    },
  };
}

/** Calls `notify` for each new link, so that the mail with the link is sent without waiting for the next poll. */
function notifyOfNewLinks(links: SignInLinks, notify: () => void = () => undefined): SignInLinks {
  return {
    ...links,
    async add(link, digest) {
      await links.add(link, digest);
      notify();
    },
  };
}
