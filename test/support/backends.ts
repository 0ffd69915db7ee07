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
  /** A place of its own for data, migrated. */
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
 * The one for a process that is about neither: on PostgreSQL it starts with half the work. Where everything is tried, it
 * is the embedded one, since most other tests are on PostgreSQL.
 */
export const quickest = isFull || postgres.isUnreachable ? embedded : postgres;

/** The settings of a process that keeps its data there. */
export function settingsOf(storage: Storage): Record<string, string> {
  if ('databaseUrl' in storage) return { DATABASE_URL: storage.databaseUrl };
  if ('dataDir' in storage) return { DATA_DIR: storage.dataDir };
  throw new Error('no process shares the memory of another one');
}

/** With the roles of roles.sql: the service has no right that it does not need. */
export const postgresWithRoles: Backend = {
  ...postgres,
  async open() {
    const { url, drop } = await createMigratedPostgresDatabase();
    const roles = await createRoles(url);
    // These tests have a clock of their own, so the owner removes the rules that compare times with the server's clock.
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

/** The same through a pooler in transaction mode; the command line works on PostgreSQL itself. */
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
 * The databases on which everything is tried that does not depend on one: both where FULL_TESTS is set, as .ci/run does,
 * else one, so that nobody has to wait long for all tests.
 */
export const backends: readonly Backend[] =
  process.env.FULL_TESTS === undefined
    ? [postgres.isUnreachable ? embedded : postgres]
    : [embedded, postgres];
if (!backends.includes(embedded)) {
  console.error('SKIPPED: the same once more on the embedded database: FULL_TESTS is not set');
}
