import { join } from 'node:path';
import { z } from 'zod';
import { signInWays as allSignInWays, webhookRetrySeconds } from '#core';
import {
  addressAndPort,
  count,
  issuer,
  label,
  mailbox,
  networks,
  oneOf,
  origins,
  pointsOfWindow,
  port,
  publicUrl,
  redisUrls,
  seconds,
  signInWays,
  smtpUrl,
  tokenTypes,
  url,
} from './config-values.ts';
import { databaseUrl } from './database-url.ts';
import type { SmtpSettings } from './mail/mailer.ts';
import { proxyVariables, toProxies } from './proxies.ts';
import { toTracing, tracingVariables } from './tracing/settings.ts';

/**
 * The environment variables and their defaults. docs/configuration.md explains each variable. Only this file reads the
 * environment. Null means that the variable is absent, or that its value is derived from another variable.
 */
export const environmentSchema = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  DATABASE_URL: databaseUrl.nullable().default(null),
  DATABASE_BACKGROUND_URL: databaseUrl.nullable().default(null),
  DATABASE_POOLER: oneOf('transaction').nullable().default(null),
  // At least one connection for each pool. By default, five processes fit into PostgreSQL's usual 97 connections.
  DATABASE_CONNECTIONS: count(18, 1_000, 5),
  REDIS_URL: redisUrls.nullable().default(null),
  DATA_DIR: z.string().default('.data'),
  SIGNING_KEY_FILE: z.string().nullable().default(null),
  MIGRATE_ON_START: oneOf('on', 'off').nullable().default(null),
  TRUSTED_PROXIES: networks.nullable().default(null),
  PUBLIC_URL: publicUrl.nullable().default(null),
  CORS_ORIGINS: origins.nullable().default(null),
  SMTP_URL: smtpUrl.nullable().default(null),
  MAIL_FROM: mailbox.nullable().default(null),
  WORKERS: count(1, 256),
  METRICS_PORT: addressAndPort.nullable().default(null),
  RATE_LIMIT_POINTS: pointsOfWindow.default('6000'),
  PENDING_TTL_DAYS: count(30, 36_500),
  GRANT_TTL_DAYS: count(365, 36_500),
  DATA_MEMORY_MIB: count(128, 65_536),
  WEBHOOK_ALLOW_PRIVATE: oneOf('on', 'off').default('off'),
  WEBHOOK_PROXY: url('http', 'https').nullable().default(null),
  WEBHOOK_RETRY_SECONDS: seconds.default([...webhookRetrySeconds]),
  STREAMS_MAX: count(10_000, 1_000_000),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  GRAPHQL_INTROSPECTION: oneOf('on', 'off').nullable().default(null),
  GRAPHQL_DOCUMENTS: z.string().nullable().default(null),
  ...tracingVariables,
  DESK_SIGN_IN: signInWays.nullable().default(null),
  OIDC_ISSUER: issuer.nullable().default(null),
  OIDC_CLIENT_ID: z.string().nullable().default(null),
  OIDC_CLIENT_SECRET: z.string().nullable().default(null),
  OIDC_LABEL: label.nullable().default(null),
  OIDC_TRUST_EMAIL: oneOf('on', 'off').default('off'),
  OAUTH_ISSUER: issuer.nullable().default(null),
  OAUTH_AUDIENCE: z.string().nullable().default(null),
  OAUTH_KEY_CLAIM: z.string().default('portfolio_access_key'),
  OAUTH_TOKEN_TYPE: tokenTypes.default(['at+jwt']),
  DEMO: oneOf('on', 'off').nullable().default(null),
  ...proxyVariables,
});

type Environment = z.output<typeof environmentSchema>;

export type Config = Readonly<ReturnType<typeof toConfig>>;

export class ConfigError extends Error {
  constructor(validationErrors: readonly string[]) {
    super(`invalid configuration:\n${validationErrors.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Reads the configuration. An empty variable is treated as absent.
 *
 * @throws ConfigError
 */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const nonEmpty = Object.entries(variables).filter(([, value]) => value !== '');
  const { success, data, error } = environmentSchema.safeParse(Object.fromEntries(nonEmpty));
  if (!success) {
    throw new ConfigError(
      error.issues.map(({ path: [name], message }) => `${String(name)} ${message}`),
    );
  }
  const problems = [...missingVariables(data), ...optionProblems(data)];
  if (problems.length > 0) throw new ConfigError(problems);
  return toConfig(data);
}

export const variableNames = () => Object.keys(process.env);

/** Variables that are valid only together with other variables. */
const needs: Partial<Record<keyof Environment, readonly (keyof Environment)[]>> = {
  DATABASE_BACKGROUND_URL: ['DATABASE_URL'],
  DATABASE_POOLER: ['DATABASE_URL'],
  SMTP_URL: ['MAIL_FROM'],
  // After the sign-in, the provider sends the browser back to the public URL.
  OIDC_ISSUER: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'],
  OIDC_CLIENT_ID: ['OIDC_ISSUER'],
  OIDC_CLIENT_SECRET: ['OIDC_ISSUER'],
  OIDC_LABEL: ['OIDC_ISSUER'],
  // Without an audience, the service would accept a token for another service.
  OAUTH_ISSUER: ['OAUTH_AUDIENCE'],
  OAUTH_AUDIENCE: ['OAUTH_ISSUER'],
};

function missingVariables(variables: Environment): string[] {
  const find = (reason: string, names: readonly (keyof Environment)[] = []) =>
    names
      .filter((name) => variables[name] === null)
      .map((name) => `${name} must be set when ${reason}`);
  const set = Object.keys(needs) as (keyof Environment)[];
  return [
    ...(variables.WORKERS > 1 ? find('WORKERS is more than 1', ['DATABASE_URL', 'REDIS_URL']) : []),
    ...(variables.DESK_SIGN_IN?.includes('oidc')
      ? find('DESK_SIGN_IN names oidc', ['OIDC_ISSUER'])
      : []),
    ...set
      .filter((name) => variables[name] !== null)
      .flatMap((name) => find(`${name} is`, needs[name])),
  ];
}

/** Behind a pooler, sessions are shared, so options in a database URL would not apply. */
function optionProblems(variables: Environment): string[] {
  if (variables.DATABASE_POOLER === null) return [];
  return (['DATABASE_URL', 'DATABASE_BACKGROUND_URL'] as const)
    .filter((name) => /[?&]options=/.test(variables[name] ?? ''))
    .map(
      (name) =>
        `${name} must have no options when DATABASE_POOLER is set: configure them for the role, with alter role … in database … set …`,
    );
}

function toOidc(variables: Environment) {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_LABEL } = variables;
  if (OIDC_ISSUER === null || OIDC_CLIENT_ID === null || OIDC_CLIENT_SECRET === null) return null;
  return {
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    label: OIDC_LABEL ?? new URL(OIDC_ISSUER).hostname,
    trustsEmail: variables.OIDC_TRUST_EMAIL === 'on',
  };
}

function toOauth(variables: Environment) {
  const { OAUTH_ISSUER, OAUTH_AUDIENCE, OAUTH_KEY_CLAIM, OAUTH_TOKEN_TYPE } = variables;
  if (OAUTH_ISSUER === null || OAUTH_AUDIENCE === null) return null;
  return {
    issuer: OAUTH_ISSUER,
    audience: OAUTH_AUDIENCE,
    keyClaim: OAUTH_KEY_CLAIM,
    types: OAUTH_TOKEN_TYPE,
  };
}

function toSmtp({ SMTP_URL: url, MAIL_FROM: from }: Environment): SmtpSettings | null {
  return url === null || from === null ? null : { url, from };
}

/** Without a configured file, the service creates a key next to the embedded database. */
function toSigningKey({
  SIGNING_KEY_FILE: file,
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
}: Environment) {
  const isEmbedded = databaseUrl === null;
  return {
    path: file ?? (isEmbedded ? join(dataDir, 'signing-key.json') : null),
    makeMissing: file === null,
  };
}

function toConfig(variables: Environment) {
  const isEmbedded = variables.DATABASE_URL === null;
  const isOn = (value: 'on' | 'off' | null) => (value === null ? isEmbedded : value === 'on');
  const demo = isOn(variables.DEMO);
  const oidc = toOidc(variables);
  const signInWays =
    variables.DESK_SIGN_IN ?? (oidc === null ? ['link' as const] : [...allSignInWays]);
  const [points = 0, windowSeconds = 60] = variables.RATE_LIMIT_POINTS.split('/').map(Number);
  const introspection = variables.GRAPHQL_INTROSPECTION;
  return {
    host: variables.HOST,
    port: variables.PORT,
    databaseUrl: variables.DATABASE_URL,
    databaseBackgroundUrl: variables.DATABASE_BACKGROUND_URL,
    databasePooler: variables.DATABASE_POOLER,
    databaseConnections: variables.DATABASE_CONNECTIONS,
    redisUrls: variables.REDIS_URL,
    dataDir: variables.DATA_DIR,
    signingKey: toSigningKey(variables),
    migrateOnStart: isOn(variables.MIGRATE_ON_START),
    trustedProxies: variables.TRUSTED_PROXIES,
    publicUrl: variables.PUBLIC_URL,
    corsOrigins: variables.CORS_ORIGINS ?? [],
    smtp: toSmtp(variables),
    workers: variables.WORKERS,
    metrics: variables.METRICS_PORT,
    rateLimit: { points, windowSeconds },
    pendingTtlDays: variables.PENDING_TTL_DAYS,
    grantTtlDays: variables.GRANT_TTL_DAYS,
    memoryBytes: variables.DATA_MEMORY_MIB * 1024 * 1024,
    streams: { total: variables.STREAMS_MAX },
    graphql: {
      introspection: introspection ?? ('test' as const),
      // With trusted documents, the service would refuse the queries that a person enters in GraphiQL.
      graphiql:
        variables.GRAPHQL_DOCUMENTS === null &&
        (introspection === null ? demo : introspection === 'on'),
    },
    graphqlDocuments: variables.GRAPHQL_DOCUMENTS,
    webhooks: {
      allowPrivate: variables.WEBHOOK_ALLOW_PRIVATE === 'on',
      proxy: variables.WEBHOOK_PROXY,
      retrySeconds: variables.WEBHOOK_RETRY_SECONDS,
    },
    logLevel: variables.LOG_LEVEL,
    tracing: toTracing(variables),
    proxies: toProxies(variables),
    desk: signInWays.length > 0,
    signInWays,
    oidc,
    oauth: toOauth(variables),
    demo,
  };
}
