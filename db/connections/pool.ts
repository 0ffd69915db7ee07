import { Migrator } from '@mikro-orm/migrations';
import { type MetadataStorage, MikroORM } from '@mikro-orm/postgresql';
import { entities } from '../entities/index.ts';
import { migrations } from '../migrations/index.ts';
import type { DriverPool } from './driver.ts';
import { PoolGuard, type PoolState } from './pool-guard.ts';
import type { Pool } from './prepared-statements.ts';
import { timeLimits } from './settings.ts';
import { type Scopes, Store, scopesOf } from './store.ts';
import { withinTime } from './within-time.ts';

export type Target = { readonly url: string } | { readonly socketFolder: string };

export interface PoolSettings {
  readonly connections: number;
  readonly acquireMilliseconds: number;
  /** Null means no timeout. */
  readonly statementMilliseconds: number | null;
  /** PostgreSQL settings, sent when a connection opens. */
  readonly server?: Readonly<Record<string, string>>;
  /** True behind a pooler. Then `inTransactions` is sent with each transaction, and `server` is never sent. */
  readonly isPooled?: boolean;
  readonly inTransactions?: Readonly<Record<string, string>>;
  readonly isPipelined?: boolean;
  readonly onError: (error: unknown) => void;
  readonly onWaited?: ((milliseconds: number) => void) | undefined;
}

/** The extra time that the server has to answer after its timeout. Then the connection counts as dead. */
const graceMilliseconds = 300;

/** The longest time that `close` waits for running statements. */
const closeMilliseconds = 5_000;

const timestamptzOid = 1184;

export interface Connections {
  readonly orm: MikroORM;
  readonly store: Store;
  readonly scopes: Scopes<Store>;
  readonly pool: Pool;
  readonly state: PoolState;
  /** Closes all connections. Resolves even if the database hangs or the driver waits for a lost connection. */
  close(): Promise<void>;
}

/** All pools share the metadata, because computing it takes most of the time that a pool needs to open. */
let metadata: MetadataStorage | undefined;

export function openConnections(target: Target, settings: PoolSettings): Connections {
  const { statementMilliseconds, onError, onWaited, isPooled = false } = settings;
  const pools: Pool[] = [];
  const guard = new PoolGuard({
    silenceMilliseconds:
      statementMilliseconds === null ? null : statementMilliseconds + graceMilliseconds,
    onError,
    onWaited,
  });
  const orm = new MikroORM({
    entities,
    dbName: 'url' in target ? databaseName(target.url) : 'postgres',
    driverOptions: {
      ...('url' in target
        ? {
            connectionString: withOptions(target.url, isPooled ? undefined : settings.server),
            ...(!isPooled && statementMilliseconds !== null && timeLimits(statementMilliseconds)),
          }
        : { host: target.socketFolder, port: socketPort, user: 'postgres', password: '' }),
      application_name: 'portfolio-access',
      keepAlive: true,
      pipeline: settings.isPipelined ?? false,
      min: 0,
      max: settings.connections,
      connectionTimeoutMillis: settings.acquireMilliseconds,
      onPoolCreated(pool: DriverPool) {
        guard.watch(pool);
        // MikroORM makes the driver return times as text. This parser converts them to Date objects again.
        pool.options.types.setTypeParser(timestamptzOid, (text) => new Date(text));
        pools.push(pool);
      },
    },
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false },
    // Skips tables without entities, such as access records, and the migrations table, which MikroORM manages itself.
    schemaGenerator: {
      skipTables: [/^import_/, /^access_(record|day|grant_use)/, 'mikro_orm_migrations'],
    },
    discovery: { skipSyncDiscovery: metadata !== undefined },
    metadataCache: { enabled: false },
    // MikroORM's check that the database exists would use a separate connection, even inside a transaction.
    ensureDatabase: false,
    // Logs nothing, because all errors reach a caller or `onError`.
    logger: () => undefined,
  });
  if (metadata === undefined) {
    metadata = orm.getMetadata();
  } else {
    orm.driver.setMetadata(metadata);
    // MikroORM forks only entity managers with the mark `global`, and marks only those that it creates itself.
    const em = Object.assign(orm.driver.createEntityManager(), { global: true });
    Object.assign(orm, { em });
  }
  const inTransactions = isPooled ? (settings.inTransactions ?? null) : null;
  const store = new Store(orm.em.fork(), undefined, inTransactions);
  const [pool] = pools;
  if (pool === undefined) throw new Error('the driver has created no pool');
  return {
    orm,
    store,
    scopes: scopesOf(orm.em.fork(), inTransactions),
    pool,
    get state() {
      return guard.state;
    },
    async close() {
      await withinTime(orm.close(), closeMilliseconds).catch(onError);
      guard.cutAll();
    },
  };
}

/** Merges the settings into the URL's options, because the driver can't use both. */
function withOptions(url: string, server: PoolSettings['server']): string {
  if (server === undefined) return url;
  const target = new URL(url);
  const urlOptions = target.searchParams.get('options') ?? '';
  const own = Object.entries(server).map(([name, value]) => `-c ${name}=${value}`);
  target.searchParams.set('options', [urlOptions, ...own].join(' ').trim());
  return target.href;
}

function databaseName(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres';
}

/** The driver finds a Unix socket by its folder and this port number. The file is named `.s.PGSQL.5432`. */
export const socketPort = 5432;
