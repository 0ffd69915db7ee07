import {
  createMigratedDataDir,
  createMigratedPostgresDatabase,
  whyNoPostgres,
  withClient,
} from './databases.ts';
import { setUpRole, startPgbouncer, whyNoPgbouncer } from './pgbouncer.ts';
import { isFull } from './property-runs.ts';
import { createRoles } from './roles.ts';
import type { Storage } from './service.ts';

export interface Backend {
  readonly name: string;
  readonly isUnreachable: boolean;
  /** Creates a separate, migrated database or store in memory. */
  open(): Promise<{ readonly storage: Storage; release(): Promise<void> }>;
}

const reason = await whyNoPostgres();
if (reason !== null) console.error(`SKIPPED: everything on PostgreSQL: ${reason}`);

const whyNotPooled = reason ?? whyNoPgbouncer;
if (whyNoPgbouncer !== null)
  console.error(`SKIPPED: everything through a pooler: ${whyNoPgbouncer}`);

export const memory: Backend = {
  name: 'memory',
  isUnreachable: false,
  open: async () => ({ storage: { memory: true }, release: async () => undefined }),
};

export const embedded: Backend = {
  name: 'embedded database',
  isUnreachable: false,
  async open() {
    const { path, remove } = await createMigratedDataDir();
    return { storage: { dataDir: path }, release: remove };
  },
};

export const postgres: Backend = {
  name: reason === null ? 'PostgreSQL' : `PostgreSQL: SKIPPED, ${reason}`,
  isUnreachable: reason !== null,
  async open() {
    const { url, drop } = await createMigratedPostgresDatabase();
    return { storage: { databaseUrl: url }, release: drop };
  },
};

/**
 * For processes whose tests don't depend on the database. They start faster on PostgreSQL, but most
 * other tests run there, so a full run uses the embedded database.
 */
export const quickest = isFull || postgres.isUnreachable ? embedded : postgres;

export function settingsOf(storage: Storage): Record<string, string> {
  if ('databaseUrl' in storage) return { DATABASE_URL: storage.databaseUrl };
  if ('dataDir' in storage) return { DATA_DIR: storage.dataDir };
  throw new Error('no process shares the memory of another one');
}

/** The service has only the rights that it needs, with the roles of roles.sql. */
export const postgresWithRoles: Backend = {
  ...postgres,
  async open() {
    const { url, drop } = await createMigratedPostgresDatabase();
    const roles = await createRoles(url);
    // These tests set their own clock, so the rules that compare times with the database's clock are removed.
    await withClient(url, (owner) =>
      owner.query(`alter policy dated on access_event with check (true);
        alter policy dated on consent_receipt with check (true);
        alter policy dated on settings_change with check (true)`),
    );
    return {
      storage: { databaseUrl: roles.serviceUrl, operatorUrl: roles.operatorUrl },
      async release() {
        await roles.drop();
        await drop();
      },
    };
  },
};

/** PostgreSQL behind a pooler in transaction mode. The operator's commands connect to PostgreSQL directly. */
export const pooled: Backend = {
  name: whyNotPooled === null ? 'PgBouncer' : `PgBouncer: SKIPPED, ${whyNotPooled}`,
  isUnreachable: whyNotPooled !== null,
  async open() {
    const { storage, release } = await postgresWithRoles.open();
    if (!('operatorUrl' in storage)) throw new Error('there are no roles');
    const { databaseUrl } = storage;
    await setUpRole(databaseUrl);
    const pgbouncer = await startPgbouncer(databaseUrl);
    return {
      storage: { ...storage, databaseUrl: pgbouncer.urlOf(databaseUrl), isPooled: true },
      async release() {
        await pgbouncer.stop();
        await release();
      },
    };
  },
};

/**
 * For tests that don't depend on a particular database. A run with FULL_TESTS, like .ci/run, uses
 * both, and other runs use one to save time.
 */
export const backends: readonly Backend[] =
  process.env.FULL_TESTS === undefined
    ? [postgres.isUnreachable ? embedded : postgres]
    : [embedded, postgres];
if (!backends.includes(embedded)) {
  console.error('SKIPPED: the same once more on the embedded database: FULL_TESTS is not set');
}
