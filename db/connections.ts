import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { entities } from './entities/index.ts';
import { migrations } from './migrations/index.ts';
import { type GuardedPool, PoolGuard } from './pool-guard.ts';
import type { Pool } from './prepared-statements.ts';
import { Store } from './store.ts';
import { withinTime } from './within-time.ts';

/** Where the database listens: a URL, or the folder of a unix socket. */
export type Target = { readonly url: string } | { readonly socketFolder: string };

export interface PoolSettings {
  readonly connections: number;
  readonly acquireMilliseconds: number;
  /** Null: a statement may take as long as it needs. */
  readonly statementMilliseconds: number | null;
  /** Other settings of PostgreSQL for these connections. */
  readonly server?: Readonly<Record<string, string>>;
  readonly onError: (error: unknown) => void;
}

/** What an answer may take longer than the server's own limit before the connection is taken for dead. */
const graceMilliseconds = 500;

/** How long closing waits for what is under way. */
const closeMilliseconds = 5_000;

/** The part of the driver's pool that turns text into values; MikroORM leaves instants as text. */
interface TypedPool {
  readonly options: {
    readonly types: { setTypeParser(type: number, parse: (text: string) => unknown): void };
  };
}

/** The number of the type in PostgreSQL's catalogue. */
const timestamptz = 1184;

export interface Connections {
  readonly orm: MikroORM;
  readonly store: Store;
  /** The driver's own. */
  readonly pool: Pool;
  /** Must end even when the database hangs, or the driver waits for a connection that it has lost. */
  close(): Promise<void>;
}

/** Connects with the first statement, not here. */
export function openConnections(target: Target, settings: PoolSettings): Connections {
  const { statementMilliseconds, onError } = settings;
  const opened: { pool?: Pool } = {};
  const guard = new PoolGuard({
    silenceMilliseconds:
      statementMilliseconds === null ? null : statementMilliseconds + graceMilliseconds,
    onError,
  });
  const options: Options = {
    entities,
    dbName: 'url' in target ? databaseName(target.url) : 'postgres',
    driverOptions: {
      ...('url' in target
        ? {
            connectionString: withOptions(target.url, settings.server),
            ...timeLimits(statementMilliseconds),
          }
        : { host: target.socketFolder, port: socketPort, user: 'postgres', password: '' }),
      application_name: 'portfolio-access',
      keepAlive: true,
      min: 0,
      max: settings.connections,
      connectionTimeoutMillis: settings.acquireMilliseconds,
      onPoolCreated(pool: GuardedPool & Pool & TypedPool) {
        guard.watch(pool);
        pool.options.types.setTypeParser(timestamptz, (text) => new Date(text));
        opened.pool = pool;
      },
    },
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false },
    // Staged lines and access records are no entities, and the list of migrations is kept by MikroORM itself.
    schemaGenerator: { skipTables: [/^import_/, /^access_record/, 'mikro_orm_migrations'] },
    metadataCache: { enabled: false },
    // The look-up that it means would take a connection of its own, in the middle of a transaction if that comes first.
    ensureDatabase: false,
    // Nothing is printed: errors reach the caller, or onError when no call waits for them.
    logger: () => undefined,
  };
  const orm = new MikroORM(options);
  const store = new Store(orm.em.fork());
  const { pool } = opened;
  if (pool === undefined) throw new Error('the driver has made no pool');
  return {
    orm,
    store,
    pool,
    async close() {
      await withinTime(orm.close(), closeMilliseconds).catch(onError);
      guard.cutAll();
    },
  };
}

/** Added to the options that the URL brings along: the driver would take either these or those. */
function withOptions(url: string, server: PoolSettings['server']): string {
  if (server === undefined) return url;
  const target = new URL(url);
  const given = target.searchParams.get('options') ?? '';
  const own = Object.entries(server).map(([name, value]) => `-c ${name}=${value}`);
  target.searchParams.set('options', [given, ...own].join(' ').trim());
  return target.href;
}

/** PGlite has one session for all, so what is set there would hold for all; these are for PostgreSQL only. */
function timeLimits(statementMilliseconds: number | null) {
  if (statementMilliseconds === null) return {};
  return {
    statement_timeout: statementMilliseconds,
    // A transaction whose process has stalled must not keep its locks.
    idle_in_transaction_session_timeout: 2 * statementMilliseconds,
  };
}

function databaseName(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres';
}

/** The driver finds a unix socket by its folder and this number: `.s.PGSQL.5432`. */
export const socketPort = 5432;
