import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Database, type DatabaseConfig, openDatabase } from '#db';

/** Where tests find a PostgreSQL in which they may create databases. */
const serverUrl = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

interface Client {
  connect(): Promise<void>;
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

// The driver comes with the database library and is found beside it.
const driver = createRequire(import.meta.resolve('@mikro-orm/postgresql'))('pg') as {
  Client: new (config: { connectionString: string; connectionTimeoutMillis: number }) => Client;
};

/** One connection of the test's own, beside those of the code under test. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new driver.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

let reason: Promise<string | null> | undefined;

/** Null when PostgreSQL can be used; otherwise why not. */
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

/** An empty database on the real PostgreSQL. */
export async function createPostgresDatabase(): Promise<FreshDatabase> {
  const name = `portfolio_access_test_${randomBytes(6).toString('hex')}`;
  await withClient(serverUrl, (client) => client.query(`create database ${name}`));
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

export interface DataDir {
  readonly path: string;
  remove(): Promise<void>;
}

/** A folder for embedded data that nobody else has. */
export async function createDataDir(): Promise<DataDir> {
  const path = await mkdtemp(join(tmpdir(), 'pa-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export type Open = () => Promise<Database>;

/** Skips loudly what needs PostgreSQL where there is none; what is embedded is tested everywhere. */
export async function describeOnPostgres(
  name: string,
  body: (createDatabase: () => Promise<FreshDatabase>) => void,
): Promise<void> {
  const missing = await whyNoPostgres();
  if (missing === null) {
    describe(`${name} on PostgreSQL`, () => {
      const created: FreshDatabase[] = [];
      afterAll(async () => {
        for (const database of created) await database.drop();
      });
      body(async () => {
        const database = await createPostgresDatabase();
        created.push(database);
        return database;
      });
    });
    return;
  }
  console.error(`\nSKIPPED: ${name} on PostgreSQL: ${missing}\n`);
  test.skip(`${name} on PostgreSQL: SKIPPED, ${missing}`, () => undefined);
}

/**
 * Runs the same tests on the embedded database and on PostgreSQL. Each has one migrated database for the whole of the
 * body: what `open` returns is shared, and closed at the end whatever is closed before.
 */
export async function describeEachDatabase(
  name: string,
  body: (open: Open) => void,
): Promise<void> {
  describe(`${name} on the embedded database`, () => {
    body(
      shareOne(async () => {
        const dataDir = await createDataDir();
        return { config: { databaseUrl: null, dataDir: dataDir.path }, remove: dataDir.remove };
      }),
    );
  });
  await describeOnPostgres(name, () => {
    body(
      shareOne(async () => {
        const { url, drop } = await createPostgresDatabase();
        return { config: { databaseUrl: url, dataDir: '' }, remove: drop };
      }),
    );
  });
}

interface Place {
  readonly config: Pick<DatabaseConfig, 'databaseUrl' | 'dataDir'>;
  remove(): Promise<void>;
}

function shareOne(create: () => Promise<Place>): Open {
  let place: Place | undefined;
  let database: Database | undefined;
  beforeAll(async () => {
    place = await create();
    database = await openDatabase({ ...place.config, role: 'service' });
    await database.migrate();
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
