import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildSite } from '../../.ci/build-site.ts';
import { type OwnPostgres, postgresPrograms, startOwnPostgres } from './own-postgres.ts';
import { serverUrl, withClient } from './postgres-server.ts';
import { compileCache } from './processes.ts';
import { fixedJwk } from './signing-key.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The prefix of all databases that this test run creates. */
    databasePrefix: string;
    /** The folder of the embedded databases of this test run. */
    dataFolder: string;
    /** The private key with which services on PostgreSQL sign. */
    signingKeyFile: string;
  }
}

/** Removes all leftovers at the end of a run: databases that files share, and data of interrupted tests. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databasePrefix = `portfolio_access_test_${randomBytes(4).toString('hex')}_`;
  project.provide('databasePrefix', databasePrefix);
  const folder = await mkdtemp(join((await memoryFolder()) ?? tmpdir(), 'pa-'));
  // A PostgreSQL that a test starts runs as another user, which must be able to enter the folder.
  await chmod(folder, 0o711);
  project.provide('dataFolder', folder);
  const signingKeyFile = join(folder, 'signing-key.json');
  await writeFile(signingKeyFile, JSON.stringify(fixedJwk), { mode: 0o600 });
  project.provide('signingKeyFile', signingKeyFile);
  // The tests and the processes that they start inherit both.
  process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  // The tests of other parts don't need the documentation site, so they run even if its build fails.
  await buildSite().catch((error: unknown) => console.error(error));
  const ownServer = await startServer();
  if (ownServer) process.env.TEST_DATABASE_URL = ownServer.url;
  return async () => {
    if (ownServer) await ownServer.stop();
    else await dropDatabases(databasePrefix).catch(() => undefined);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  };
}

/**
 * Starts a PostgreSQL for this run alone, which never waits for a disk. Returns null if none is installed, or if
 * TEST_DATABASE_URL names one.
 */
async function startServer(): Promise<OwnPostgres | null> {
  if (process.env.TEST_DATABASE_URL !== undefined || postgresPrograms === null) return null;
  try {
    return await startOwnPostgres({
      fsync: 'off',
      full_page_writes: 'off',
      max_connections: '200',
    });
  } catch (error) {
    console.error(`no PostgreSQL of its own could be started for the tests: ${String(error)}`);
    return null;
  }
}

/**
 * A folder in memory, where a new embedded database takes a tenth of the time of a disk. Null if the machine has
 * no such folder or little space in it.
 */
async function memoryFolder(): Promise<string | null> {
  try {
    const { bavail, bsize } = await statfs('/dev/shm');
    return bavail * bsize > 4 * 1024 ** 3 ? '/dev/shm' : null;
  } catch {
    return null;
  }
}

function dropDatabases(prefix: string): Promise<void> {
  return withClient(serverUrl, async (client) => {
    const { rows } = await client.query(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [prefix],
    );
    for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
    const roles = await client.query(
      'select rolname as name from pg_roles where starts_with(rolname, $1)',
      [prefix],
    );
    for (const { name } of roles.rows) await client.query(`drop role ${name}`);
  });
}
