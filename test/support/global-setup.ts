import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildSite } from '../../.ci/build-site.ts';
import { hasNewDatabase } from '../../db/embedded/new-database.ts';
import { prepareDatabase } from '../../db/embedded/prepare.ts';
import { type OwnPostgres, postgresPrograms, startOwnPostgres } from './own-postgres.ts';
import { serverUrl, withClient } from './postgres-server.ts';
import { compileCache } from './processes.ts';
import { fixedJwk } from './signing-key.ts';

declare module 'vitest' {
  interface ProvidedContext {
    databasePrefix: string;
    dataFolder: string;
    /** Services on PostgreSQL sign receipts and values with this key. */
    signingKeyFile: string;
  }
}

/** At the end of the run, removes shared databases and what interrupted tests have left. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databasePrefix = `portfolio_access_test_${randomBytes(4).toString('hex')}_`;
  project.provide('databasePrefix', databasePrefix);
  const folder = await mkdtemp(join((await memoryFolder()) ?? tmpdir(), 'pa-'));
  // Tests start PostgreSQL as another user, who must be able to enter the folder.
  await chmod(folder, 0o711);
  project.provide('dataFolder', folder);
  const signingKeyFile = join(folder, 'signing-key.json');
  await writeFile(signingKeyFile, JSON.stringify(fixedJwk), { mode: 0o600 });
  project.provide('signingKeyFile', signingKeyFile);
  // The tests and their processes inherit these two variables.
  process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  // `npm ci` has prepared a database, but its code may have changed since then.
  if (!hasNewDatabase()) await prepareDatabase();
  // Most tests don't need the documentation site, so the run continues even if the site can't be built.
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
 * A server for this run only, which doesn't wait until data is on disk. Null if PostgreSQL isn't
 * installed, or if TEST_DATABASE_URL names a server.
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
 * In memory, a new embedded database is created ten times as fast as on a disk. Null if the machine
 * has no such folder, or too little space in it.
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
