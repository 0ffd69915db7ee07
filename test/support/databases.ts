import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Database, type DatabaseConfig, openDatabase } from '#db';
import { putNewDatabase } from '../../db/embedded/new-database.ts';
import { serverUrl, withClient } from './postgres-server.ts';

export { withClient };

let reason: Promise<string | null> | undefined;

/** Returns null if PostgreSQL can be used, otherwise the reason. */
export function whyNoPostgres(): Promise<string | null> {
  reason ??= withClient(serverUrl, (client) => client.query('select 1')).then(
    () => null,
    (error: unknown) =>
      `no PostgreSQL at ${serverUrl.replace(/\/\/.*@/, '//')} (TEST_DATABASE_URL): ${String(error)}`,
  );
  return reason;
}

export interface FreshDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export function createPostgresDatabase(): Promise<FreshDatabase> {
  return createDatabase('template1');
}

let postgresTemplate: Promise<string> | undefined;

export async function createMigratedPostgresDatabase(): Promise<FreshDatabase> {
  postgresTemplate ??= migrateTemplate();
  return createDatabase(await postgresTemplate);
}

async function migrateTemplate(): Promise<string> {
  const { url } = await createPostgresDatabase();
  // All tests of the process need this database, so the limits suit a busy machine.
  const limits = { acquireMilliseconds: 60_000, statementMilliseconds: 60_000 };
  const database = await openDatabase({ databaseUrl: url, dataDir: '', role: 'command', limits });
  await database.migrate();
  await database.close();
  return nameOf({ url });
}

const nameOf = ({ url }: Pick<FreshDatabase, 'url'>) => new URL(url).pathname.slice(1);

async function createDatabase(template: string): Promise<FreshDatabase> {
  const name = `${inject('databasePrefix')}${randomBytes(6).toString('hex')}`;
  // The strategy file_copy takes a quarter of the time of the default strategy, which logs each page.
  await withClient(serverUrl, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  );
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await withClient(serverUrl, (client) =>
        client.query(`drop database if exists ${name} with (force)`),
      );
    },
  };
}

/** Resolves once a session waits for a lock of another session. */
export const untilSomeoneWaits = (url: string) =>
  expect
    .poll(() =>
      withClient(url, (watcher) =>
        watcher.query(`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`),
      ),
    )
    .toMatchObject({ rows: [{}] });

export interface DataDir {
  readonly path: string;
  remove(): Promise<void>;
}

/** Creates a folder that no other test uses. */
export async function createDataDir(): Promise<DataDir> {
  const path = await mkdtemp(join(inject('dataFolder'), 'd'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Copies a migrated database, because a migration takes ten times as long. */
export async function createMigratedDataDir(): Promise<DataDir> {
  const dataDir = await createDataDir();
  await copyMigratedDatabase(dataDir.path);
  return dataDir;
}

export async function copyMigratedDatabase(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'database');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!putNewDatabase(folder)) throw new Error('no database is prepared');
}

export type Open = () => Promise<Database>;

/** @param like the database to copy, which must have no connections */
export type CreateDatabase = (
  like?: 'migrated' | 'empty' | FreshDatabase,
) => Promise<FreshDatabase>;

/** Without PostgreSQL, prints that the tests are skipped. The embedded database is tested everywhere. */
export async function describeOnPostgres(
  name: string,
  body: (createDatabase: CreateDatabase) => void,
): Promise<void> {
  const missing = await whyNoPostgres();
  if (missing === null) {
    describe(`${name} on PostgreSQL`, () => {
      const created: FreshDatabase[] = [];
      afterAll(async () => {
        for (const database of created) await database.drop();
      });
      body(async (like = 'migrated') => {
        const database = await (like === 'migrated'
          ? createMigratedPostgresDatabase()
          : createDatabase(like === 'empty' ? 'template1' : nameOf(like)));
        created.push(database);
        return database;
      });
    });
    return;
  }
  console.error(`SKIPPED: everything on PostgreSQL: ${missing}`);
  test.skip(`${name} on PostgreSQL: SKIPPED, ${missing}`, () => undefined);
}

/** One database, with the role of the service, for all tests of a suite. */
export function useDatabase(
  createDatabase: CreateDatabase,
): Pick<Database, 'repositories'> & Pick<FreshDatabase, 'url'> {
  let url = '';
  let database: Database | undefined;
  beforeAll(async () => {
    ({ url } = await createDatabase());
    database = await openDatabase({ databaseUrl: url, dataDir: '', role: 'service' });
    return () => database?.close();
  });
  return {
    get url() {
      return url;
    },
    get repositories() {
      if (database === undefined) throw new Error('the database did not open');
      return database.repositories;
    },
  };
}

/**
 * Runs the tests on the embedded database and on PostgreSQL, or on one of them without FULL_TESTS.
 * They share one migrated database, so `close` has no effect on what `open` returns.
 */
export async function describeEachDatabase(
  name: string,
  body: (open: Open) => void,
): Promise<void> {
  const isOneEnough = process.env.FULL_TESTS === undefined && (await whyNoPostgres()) === null;
  if (!isOneEnough) {
    describe(`${name} on the embedded database`, () => {
      body(
        shareOne(async () => {
          const dataDir = await createMigratedDataDir();
          return { config: { databaseUrl: null, dataDir: dataDir.path }, remove: dataDir.remove };
        }),
      );
    });
  }
  await describeOnPostgres(name, () => {
    body(
      shareOne(async () => {
        const { url, drop } = await createMigratedPostgresDatabase();
        return { config: { databaseUrl: url, dataDir: '' }, remove: drop };
      }),
    );
  });
}

interface Place {
  readonly config: Pick<DatabaseConfig, 'databaseUrl' | 'dataDir' | 'isPooled'>;
  remove(): Promise<void>;
}

/** @param isMigrated true if the database is already migrated */
export function shareOne(create: () => Promise<Place>, isMigrated = false): Open {
  let place: Place | undefined;
  let database: Database | undefined;
  beforeAll(async () => {
    place = await create();
    database = await openDatabase({ ...place.config, role: 'service' });
    if (!isMigrated) await database.migrate();
  });
  afterAll(async () => {
    await database?.close();
    await place?.remove();
  });
  return async () => {
    if (database === undefined) throw new Error('the database did not open');
    return { ...database, close: async () => undefined };
  };
}
