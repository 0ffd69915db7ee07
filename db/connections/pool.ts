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

/** Where the database listens: a URL, or the folder of a unix socket. */
export type Target = { readonly url: string } | { readonly socketFolder: string };

export interface PoolSettings {
  readonly connections: number;
  readonly acquireMilliseconds: number;
  /** Null: a statement may take as long as it needs. */
  readonly statementMilliseconds: number | null;
  /** Other settings of PostgreSQL for these connections. */
  readonly server?: Readonly<Record<string, string>>;
  /**
   * Whether a pooler chooses a session for each transaction. Then no setting is asked for with a connection, but those of
   * `inTransactions` with each transaction.
   */
  readonly isPooled?: boolean;
  readonly inTransactions?: Readonly<Record<string, string>>;
  /** Whether statements are sent without waiting for the answers to those before them. */
  readonly isPipelined?: boolean;
  readonly onError: (error: unknown) => void;
  readonly onWaited?: ((milliseconds: number) => void) | undefined;
}

/** An answer that is this much later than the server's own limit means that the connection is dead. */
const graceMilliseconds = 300;

/** How long closing waits for the statements under way. */
const closeMilliseconds = 5_000;

/** The number of the type in PostgreSQL's catalogue. */
const timestamptz = 1184;

export interface Connections {
  readonly orm: MikroORM;
  readonly store: Store;
  readonly scopes: Scopes<Store>;
  /** The driver's own. */
  readonly pool: Pool;
  readonly state: PoolState;
  /** Ends even when the database hangs, or when the driver waits for a connection that it has lost. */
  close(): Promise<void>;
}

/** What MikroORM has found out about the entities: the same for all connections, and most of the time that opening takes. */
let metadata: MetadataStorage | undefined;

/** Connects with the first statement, not here. */
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
        // MikroORM leaves instants as text.
        pool.options.types.setTypeParser(timestamptz, (text) => new Date(text));
        pools.push(pool);
      },
    },
    extensions: [Migrator],
    migrations: { migrationsList: migrations, snapshot: false },
    // Staging tables and access records have no entities; MikroORM keeps its list of migrations by itself.
    schemaGenerator: {
      skipTables: [/^import_/, /^access_(record|day|grant_use)/, 'mikro_orm_migrations'],
    },
    discovery: { skipSyncDiscovery: metadata !== undefined },
    metadataCache: { enabled: false },
    // It would look on a connection of its own, even in the middle of a transaction.
    ensureDatabase: false,
    // Nothing is printed: errors reach the caller, or onError when no call waits for them.
    logger: () => undefined,
  });
  if (metadata === undefined) {
    metadata = orm.getMetadata();
  } else {
    orm.driver.setMetadata(metadata);
    // As MikroORM marks it: the one that nothing but forks may come from.
    const em = Object.assign(orm.driver.createEntityManager(), { global: true });
    Object.assign(orm, { em });
  }
  const inTransactions = isPooled ? (settings.inTransactions ?? null) : null;
  const store = new Store(orm.em.fork(), undefined, inTransactions);
  const [pool] = pools;
  if (pool === undefined) throw new Error('the driver has made no pool');
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

/** Adds to the options that the URL brings along, because the driver would use either these or those. */
function withOptions(url: string, server: PoolSettings['server']): string {
  if (server === undefined) return url;
  const target = new URL(url);
  const given = target.searchParams.get('options') ?? '';
  const own = Object.entries(server).map(([name, value]) => `-c ${name}=${value}`);
  target.searchParams.set('options', [given, ...own].join(' ').trim());
  return target.href;
}

function databaseName(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres';
}

/** The driver finds a unix socket by its folder and this number: `.s.PGSQL.5432`. */
export const socketPort = 5432;
