import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { serverUrl, withClient } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How the name of each database begins that this run of the tests makes. */
    databasePrefix: string;
  }
}

/** At the end of a run every database is dropped that it has left, also when a test or the run itself was cut off. */
export default function setup(project: TestProject): () => Promise<void> {
  const databasePrefix = `portfolio_access_test_${randomBytes(4).toString('hex')}_`;
  project.provide('databasePrefix', databasePrefix);
  return () => dropDatabases(databasePrefix).catch(() => undefined);
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
