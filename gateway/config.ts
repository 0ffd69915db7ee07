import { z } from 'zod';

/** The only reader of the environment. An empty variable counts as absent. */

const count = (fallback: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= 1 && value <= max, `must be from 1 to ${max}`)
    .default(fallback);

const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => isUrl(text, protocols),
      `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    )
    .refine(isDecodable, 'must not hold a % that is not followed by two hexadecimal digits');

function isUrl(text: string, protocols: readonly string[]): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocols.includes(protocol) && !hostname.includes(',');
}

/** One, or several divided by commas; a comma inside of one, in a password, divides nothing. */
const redisUrls = z
  .string()
  .transform((text) => text.split(/,(?=rediss?:\/\/)/))
  .pipe(z.array(url('redis:', 'rediss:')));

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number')
  .transform(Number)
  .refine((value) => value <= 65_535, 'must be at most 65535');

const onOrOff = z.enum(['on', 'off'], { error: 'must be on or off' }).nullable().default(null);

const environmentSchema = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  DATABASE_URL: url('postgres:', 'postgresql:').nullable().default(null),
  REDIS_URL: redisUrls.nullable().default(null),
  DATA_DIR: z.string().default('.data'),
  MIGRATE_ON_START: onOrOff,
  PUBLIC_URL: url('http:', 'https:')
    .refine((text) => !/[?#]/.test(text), 'must not have a query or a fragment')
    .transform((text) => text.replace(/\/+$/, ''))
    .nullable()
    .default(null),
  WORKERS: count(1, 256),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port.nullable().default(null),
  RATE_LIMIT_POINTS: count(600, 1_000_000),
  RATE_LIMIT_WINDOW_SECONDS: count(60, 86_400),
  PENDING_TTL_DAYS: count(30, 36_500),
  GRANT_TTL_DAYS: count(365, 36_500),
  DATA_MEMORY_MIB: count(128, 65_536),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
  GRAPHQL_INTROSPECTION: onOrOff,
  GRAPHQL_MAX_DEPTH: count(10, 100),
  GRAPHQL_MAX_ALIASES: count(50, 10_000),
  GRAPHQL_MAX_TOKENS: count(2_000, 1_000_000),
  GRAPHQL_MAX_COST: count(100_000, 100_000_000),
  GRAPHQL_MAX_READS: count(5_000, 1_000_000),
  GRAPHQL_MAX_ROWS: count(50_000, 10_000_000),
  GRAPHQL_MAX_MUTATIONS: count(5, 1_000),
  GRAPHQL_MAX_ERRORS: count(100, 100_000),
  GRAPHQL_MAX_ANSWER_KIB: count(8_192, 1_048_576),
  GRAPHQL_MAX_BATCH: count(10, 1_000),
  GRAPHQL_MAX_BODY_KIB: count(64, 16_384),
  TRPC_MAX_BATCH: count(20, 1_000),
  DEMO: onOrOff,
});

/** How much one GraphQL request may ask for, and who may ask for the schema. */
interface GraphqlConfig {
  /** Everyone, nobody, or keys of the test environment alone. */
  readonly introspection: 'on' | 'off' | 'test';
  /** Whether a browser gets the GraphiQL page. */
  readonly graphiql: boolean;
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly maxTokens: number;
  readonly maxCost: number;
  readonly maxReads: number;
  readonly maxRows: number;
  readonly maxMutations: number;
  readonly maxErrors: number;
  readonly maxAnswerBytes: number;
  readonly maxBatch: number;
  readonly maxBodyBytes: number;
}

export interface Config {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Null: the embedded database in dataDir. */
  readonly databaseUrl: string | null;
  /** Several: the nodes of a cluster. Null: the rate limit is counted in this process. */
  readonly redisUrls: readonly string[] | null;
  readonly dataDir: string;
  /** Whether the service and the commands bring an older schema up to date; otherwise they refuse it. */
  readonly migrateOnStart: boolean;
  /** Where callers reach the service, without a trailing slash; null: where it listens. */
  readonly publicUrl: string | null;
  /** Processes that serve; more than one share the port, the database and Redis. */
  readonly workers: number;
  readonly metricsHost: string;
  /** Null: no metrics are served. */
  readonly metricsPort: number | null;
  readonly rateLimit: { readonly points: number; readonly windowSeconds: number };
  readonly pendingTtlDays: number;
  readonly grantTtlDays: number;
  /** What one process keeps of the company data that it has read. */
  readonly memoryBytes: number;
  readonly graphql: GraphqlConfig;
  readonly trpc: { readonly maxBatch: number };
  readonly logLevel: string;
  readonly demo: boolean;
}

/** Every mistake in the environment at once, each with the name of its variable. */
export class ConfigError extends Error {
  constructor(mistakes: readonly string[]) {
    super(`the environment has mistakes:\n${mistakes.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** @throws ConfigError */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.entries(environment).filter(([, value]) => value !== '');
  const result = environmentSchema.safeParse(Object.fromEntries(given));
  if (!result.success) {
    throw new ConfigError(
      result.error.issues.map(({ path: [name], message }) => `${String(name)} ${message}`),
    );
  }
  const variables = result.data;
  if (variables.WORKERS > 1) requireShared(variables);
  const isEmbedded = variables.DATABASE_URL === null;
  const isOn = (variable: 'on' | 'off' | null) =>
    variable === null ? isEmbedded : variable === 'on';
  const demo = isOn(variables.DEMO);
  return {
    host: variables.HOST,
    port: variables.PORT,
    databaseUrl: variables.DATABASE_URL,
    redisUrls: variables.REDIS_URL,
    dataDir: variables.DATA_DIR,
    migrateOnStart: isOn(variables.MIGRATE_ON_START),
    publicUrl: variables.PUBLIC_URL,
    workers: variables.WORKERS,
    metricsHost: variables.METRICS_HOST,
    metricsPort: variables.METRICS_PORT,
    rateLimit: {
      points: variables.RATE_LIMIT_POINTS,
      windowSeconds: variables.RATE_LIMIT_WINDOW_SECONDS,
    },
    pendingTtlDays: variables.PENDING_TTL_DAYS,
    grantTtlDays: variables.GRANT_TTL_DAYS,
    memoryBytes: variables.DATA_MEMORY_MIB * 1024 * 1024,
    graphql: {
      introspection: variables.GRAPHQL_INTROSPECTION ?? 'test',
      graphiql:
        variables.GRAPHQL_INTROSPECTION === null ? demo : variables.GRAPHQL_INTROSPECTION === 'on',
      maxDepth: variables.GRAPHQL_MAX_DEPTH,
      maxAliases: variables.GRAPHQL_MAX_ALIASES,
      maxTokens: variables.GRAPHQL_MAX_TOKENS,
      maxCost: variables.GRAPHQL_MAX_COST,
      maxReads: variables.GRAPHQL_MAX_READS,
      maxRows: variables.GRAPHQL_MAX_ROWS,
      maxMutations: variables.GRAPHQL_MAX_MUTATIONS,
      maxErrors: variables.GRAPHQL_MAX_ERRORS,
      maxAnswerBytes: variables.GRAPHQL_MAX_ANSWER_KIB * 1024,
      maxBatch: variables.GRAPHQL_MAX_BATCH,
      maxBodyBytes: variables.GRAPHQL_MAX_BODY_KIB * 1024,
    },
    trpc: { maxBatch: variables.TRPC_MAX_BATCH },
    logLevel: variables.LOG_LEVEL,
    demo,
  };
}

/** Several processes must see one database and one budget. */
function requireShared(variables: z.output<typeof environmentSchema>): void {
  const missing = (['DATABASE_URL', 'REDIS_URL'] as const).filter(
    (name) => variables[name] === null,
  );
  if (missing.length > 0) {
    throw new ConfigError(missing.map((name) => `${name} must be set when WORKERS is more than 1`));
  }
}
