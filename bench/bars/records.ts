import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import type { AccessRecord } from '../../core/index.ts';
import type { Database, DatabaseConfig } from '../../db/index.ts';
import { root } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { createDatabase, requireServers, withClient } from '../servers.ts';
import { median, percentile } from '../statistics.ts';

/**
 * Measures the insertion of a batch of access records into a table with many. With `--old FOLDER`, another checkout
 * inserts in turns with this one, in the same process, and a ratio compares two times of the same round. Commits don't
 * wait for the disk, because its noise would hide the statement.
 */
const { numbers, texts } = readOptions(
  { records: 300_000, batch: 32, batches: 300, rounds: 12, warmUp: 200 },
  { records: 5_000, batches: 10, rounds: 2, warmUp: 10 },
  ['old'],
);
const { records, batch, batches, rounds, warmUp } = numbers;

/** The highest ratio to the old checkout. */
const bar = 1;
/** The number of records per statement while a table is filled. */
const fillingBatch = 1_000;

interface Side {
  readonly database: Database;
  readonly bytesOfRecord: () => Promise<number>;
  readonly close: () => Promise<void>;
}

async function openSide(folder: string): Promise<Side> {
  const { openDatabase } = (await import(pathToFileURL(`${folder}/db/index.ts`).href)) as {
    openDatabase: (config: DatabaseConfig) => Promise<Database>;
  };
  const created = await createDatabase();
  const owner = await openDatabase({ databaseUrl: created.url, dataDir: '', role: 'command' });
  await owner.migrate();
  await owner.createPartitionsAhead(new Date());
  await owner.close();
  const url = new URL(created.url);
  url.searchParams.set('options', '-c synchronous_commit=off');
  const database = await openDatabase({ databaseUrl: url.href, dataDir: '', role: 'service' });
  return {
    database,
    bytesOfRecord: () =>
      withClient(created.url, async (client) => {
        const { rows } = await client.query(`
          select sum(pg_total_relation_size(inhrelid))::float8
            / (select count(*) from access_record) as bytes
          from pg_inherits where inhparent = 'access_record'::regclass`);
        return Math.round(rows[0]?.bytes);
      }),
    async close() {
      await database.close();
      await created.drop();
    },
  };
}

const newId = (prefix: string) => `${prefix}_${randomBytes(16).toString('hex')}`;
const ids = (prefix: string, count: number) => Array.from({ length: count }, () => newId(prefix));
const pick = (values: readonly string[]) =>
  values[Math.floor(Math.random() * values.length)] as string;

const [companies, investors, keys, grants] = [
  ids('co', 500),
  ids('inv', 240),
  ids('key', 240),
  ids('ar', 12_000),
];

const newRecord = (): AccessRecord => ({
  id: newId('rec'),
  occurredAt: new Date(),
  requestId: newId('req'),
  protocol: 'rest',
  keyId: pick(keys),
  contactId: null,
  investorId: pick(investors),
  companyId: pick(companies),
  scope: 'metrics:read',
  resource: 'metrics',
  metricKey: null,
  grantId: pick(grants),
  outcome: 'allowed',
  count: 1,
});

/** The records of one turn of the event loop share a statement. */
async function insert({ database }: Side, count: number): Promise<number> {
  const made = Array.from({ length: count }, newRecord);
  const startedAt = performance.now();
  await Promise.all(made.map((record) => database.repositories.accessRecords.record(record)));
  return performance.now() - startedAt;
}

/** In microseconds, at the median. */
async function timeBatches(side: Side, count: number): Promise<number> {
  const times: number[] = [];
  for (let number = 0; number < count; number += 1) times.push(await insert(side, batch));
  return Math.round(median(times) * 1_000);
}

await requireServers();
const folders = { now: root, ...(texts.old !== undefined && { old: texts.old }) };
const sides: [string, Side][] = [];
try {
  for (const [name, folder] of Object.entries(folders)) {
    const side = await openSide(folder);
    sides.push([name, side]);
    for (let filled = 0; filled < records; filled += fillingBatch) {
      await insert(side, Math.min(fillingBatch, records - filled));
    }
    await timeBatches(side, warmUp);
  }
  const results: Record<string, number>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const result: Record<string, number> = {};
    const inTurns = round % 2 === 0 ? sides : sides.toReversed();
    for (const [name, side] of inTurns) result[name] = await timeBatches(side, batches);
    results.push(result);
  }
  const microseconds = Object.fromEntries(
    sides.map(([name]) => [name, median(results.map((result) => result[name] ?? Number.NaN))]),
  );
  const bytes: Record<string, number> = {};
  for (const [name, side] of sides) bytes[name] = await side.bytesOfRecord();
  const ratios = results.flatMap(({ now, old }) => (now && old ? [now / old] : []));
  const ratio =
    ratios.length === 0
      ? null
      : { median: median(ratios), q1: percentile(ratios, 0.25), q3: percentile(ratios, 0.75) };
  process.stdout.write(
    `${JSON.stringify({ ...numbers, rounds: results, microseconds, bytes, ratio, bar }, null, 2)}\n`,
  );
  if (ratio !== null && ratio.median > bar) process.exitCode = 1;
} finally {
  for (const [, side] of sides) await side.close();
}
