import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { serverUrl, withClient } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How the name of each database begins that this run of the tests makes. */
    databasePrefix: string;
    /** Where this run of the tests keeps its embedded databases. */
    dataFolder: string;
  }
}

/** At the end of a run every database goes that it has left: those which files share, and those of a test that was cut off. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const databasePrefix = `portfolio_access_test_${randomBytes(4).toString('hex')}_`;
  project.provide('databasePrefix', databasePrefix);
  const dataFolder = await mkdtemp(join(tmpdir(), 'pa-'));
  project.provide('dataFolder', dataFolder);
  return async () => {
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 });
    await dropDatabases(databasePrefix).catch(() => undefined);
  };
}

function dropDatabases(prefix: string): Promise<void> {
  return withClient(serverUrl, async (client) => {
    const { rows } = await client.query(
      'select datname as name from pg_database where starts_with(datname, $1)',
      [prefix],
    );
    for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
  });
}
