import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProgramName } from './catalogue.ts';
import { fill } from './data/fill.ts';
import { makeRoles } from './data/roles.ts';
import type { Sizes } from './data/sizes.ts';
import type { World } from './data/world.ts';
import { migrate, root } from './migrate.ts';
import type { StartOptions } from './program.ts';
import { postgraphileSchema } from './programs/postgraphile-schema.ts';
import { createDatabase, whyNoServers, withClient } from './servers.ts';
import { redisUrl } from './settings.ts';
import { type WorkloadName, workloads } from './workloads.ts';

/** The database, folder and other resources of one run, which no other run uses. */
export interface Setting extends StartOptions {
  readonly world: World;
}

const seed = 20_260_630;

/** For the access records of the compared programs. The service has its own table, `access_record`. */
const plainRecords = `
  create table plain_access_record (
    id text not null,
    occurred_at timestamptz(3) not null,
    request_id text not null,
    protocol text not null,
    key_id text not null,
    investor_id text not null,
    company_id text not null,
    scope text not null,
    resource text not null,
    metric_key text,
    grant_id text not null,
    outcome text not null
  );
  create index on plain_access_record (company_id, occurred_at);
  create index on plain_access_record (investor_id, occurred_at)`;

/** Fills the tables, runs the work, and removes the setting, even after a failure or an interruption. */
export async function withSetting(
  sizes: Sizes,
  work: (setting: Setting) => Promise<void>,
): Promise<void> {
  const problem = await whyNoServers();
  if (problem !== null) throw new Error(problem);
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const database = await createDatabase();
  let cleaning: Promise<void> | undefined;
  const cleanUp = () => {
    cleaning ??= database.drop().then(() => rmSync(folder, { recursive: true, force: true }));
    return cleaning;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void cleanUp().then(() => process.exit(1)));
  }
  try {
    migrate(database.url);
    const startedAt = Date.now();
    const world = await fill(database.url, seed, sizes);
    const role = `${database.name}_reader`;
    await withClient(database.url, async (client) => {
      await client.query(plainRecords);
      await client.query(postgraphileSchema(role));
    });
    const serviceUrl = makeRoles(root, database.url);
    if (serviceUrl === null) throw new Error('the roles of least privilege could not be made');
    say(`filled ${database.name} in ${Math.round((Date.now() - startedAt) / 1000)} s`);
    await work({
      ...{ databaseUrl: database.url, serviceUrl, redisUrl, role, world, folder },
    });
  } finally {
    await cleanUp();
  }
}

/** Writes the HTTP requests for the load generator to a file, and returns its path. */
export function writeRequests(
  { world, folder }: Setting,
  workload: WorkloadName,
  program: ProgramName = 'ours',
): string {
  const file = join(folder, `${workload}-${program.replaceAll(/\W+/g, '-')}.json`);
  writeFileSync(file, JSON.stringify(workloads[workload].requests(world, program)));
  return file;
}

/** SQL that truncates each partition, because a trigger refuses to truncate the table as a whole. */
const dropRecords = `do $$
  declare part regclass;
  begin
    -- The lock prevents a deadlock: a service that counts records locks the partitions in another order.
    lock table access_record in access exclusive mode;
    for part in select inhrelid from pg_inherits where inhparent = 'access_record'::regclass loop
      execute format('truncate %s', part);
    end loop;
  end
$$`;

/** Removes the records of earlier measurements and writes all changed pages to disk. */
export async function settle(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query(dropRecords);
    await client.query('truncate plain_access_record');
    await client.query('vacuum (analyze) access_request, api_key, portfolio_membership');
    await client.query('checkpoint');
  });
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
