import { randomUUIDv7 } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Client } from 'pg';
import type { AccessRecord } from '../../core/index.ts';
import { openDatabase } from '../../db/index.ts';
import { createRandom } from '../data/random.ts';
import { migrate } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { createDatabase, requireServers, withClient } from '../servers.ts';
import { spreadOf } from '../statistics.ts';

/**
 * What an access record takes on the disk, with its indexes, and what it costs to write one while there are more and
 * more of them. Two databases are filled by the product's own statement: a small one, and one that grows from stage to
 * stage. At each stage both get the same batches in turns.
 */
const { numbers } = readOptions(
  { from: 100_000, to: 1_000_000, perDay: 200_000, companies: 1_000, investors: 200, rounds: 200 },
  { from: 5_000, to: 20_000, perDay: 5_000, companies: 50, investors: 10, rounds: 5 },
);
const batch = 100;
const concurrently = 2_000;

const { below, pick } = createRandom(20_261_123);
const idOf = (prefix: string) => `${prefix}_${randomUUIDv7().replaceAll('-', '')}`;
const ids = (prefix: string, count: number) => Array.from({ length: count }, () => idOf(prefix));

const companies = ids('co', numbers.companies);
const investors = ids('inv', numbers.investors);
const keys = ids('key', numbers.investors);
const grants = ids('ar', numbers.investors * 20);
const metrics = ['cash_balance', 'arr', 'mrr', 'headcount', 'runway_months'];

/** Three in ten ask for one metric, one in twenty is refused. */
function recordAt(instant: number): AccessRecord {
  const investor = below(investors.length);
  const metricKey = below(10) < 3 ? pick(metrics) : null;
  const isRefused = below(20) === 0;
  return {
    id: idOf('rec'),
    occurredAt: new Date(instant),
    requestId: idOf('req'),
    protocol: pick(['rest', 'graphql', 'trpc', 'mcp'] as const),
    keyId: keys[investor] as string,
    investorId: investors[investor] as string,
    companyId: pick(companies),
    scope: metricKey === null ? pick(['metrics:read', 'sources:read'] as const) : 'metrics:read',
    resource: metricKey === null ? 'metrics' : 'metric',
    metricKey,
    grantId: isRefused ? null : pick(grants),
    outcome: isRefused ? 'access_required' : 'allowed',
    count: 1,
  };
}

interface Log {
  readonly url: string;
  readonly size: number;
  add(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Its records end now and go back as many days as they need. */
async function openLog(total: number): Promise<Log> {
  const created = await createDatabase();
  migrate(created.url);
  const service = await openDatabase({ databaseUrl: created.url, dataDir: '', role: 'service' });
  const dayMilliseconds = 86_400_000;
  const step = dayMilliseconds / numbers.perDay;
  let next = Date.now() - total * step;
  for (let day = next; day < Date.now() + dayMilliseconds; day += 7 * dayMilliseconds) {
    await service.createPartitionsAhead(new Date(day));
  }
  let size = 0;
  return {
    url: created.url,
    get size() {
      return size;
    },
    async add(count) {
      const end = size + count;
      while (size < end) {
        const left = end - size;
        const days = Math.floor(Math.min(size, left) / numbers.perDay);
        if (days > 0) {
          await copyDays(created.url, new Date(next - days * dayMilliseconds + 1), days);
          next += days * dayMilliseconds;
          size += days * numbers.perDay;
        } else {
          const records = Array.from({ length: Math.min(concurrently, left) }, () => {
            next += step;
            return recordAt(next);
          });
          await Promise.all(
            records.map((record) => service.repositories.accessRecords.record(record)),
          );
          size += records.length;
        }
      }
    },
    async close() {
      await service.close();
      await created.drop();
    },
  };
}

/** The records since then once more, as many days later. */
async function copyDays(url: string, since: Date, days: number): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(`
      select attname as name from pg_attribute
      where attrelid = 'access_record'::regclass and attnum > 0 and not attisdropped
      order by attnum`);
    const columns = rows.map(({ name }) => name);
    const later = columns.map((name) =>
      name === 'occurred_at' ? 'occurred_at + make_interval(hours => 24 * $2)' : name,
    );
    await client.query(
      `insert into access_record (${columns}) select ${later} from access_record
       where occurred_at >= $1`,
      [since, days],
    );
  });
}

async function bytesOf(client: Client, records: number): Promise<Record<string, number>> {
  const { rows } = await client.query(`
    with part as (
      select inhrelid as oid from pg_inherits where inhparent = 'access_record'::regclass
    )
    select 'table' as name, sum(pg_relation_size(oid))::float8 as bytes from part
    union all
    select parent.relname, sum(pg_relation_size(pg_index.indexrelid))::float8
    from part join pg_index on indrelid = part.oid
    join pg_inherits on inhrelid = pg_index.indexrelid
    join pg_class as parent on parent.oid = inhparent
    group by 1`);
  const each = Object.fromEntries(
    rows.map(({ name, bytes }) => [name, Math.round((bytes / records) * 10) / 10]),
  );
  const all = rows.reduce((sum: number, { bytes }) => sum + bytes, 0);
  return { ...each, all: Math.round((all / records) * 10) / 10 };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return ((performance.now() - startedAt) * 1000) / batch;
}

await requireServers();
const { from, to, rounds } = numbers;
const stages = [];
for (let size = from; size <= to; size *= 10) stages.push(size);
const small = await openLog(from + stages.length * rounds * batch);
const large = await openLog(to + stages.length * rounds * batch);
try {
  await small.add(from);
  const results = [];
  for (const stage of stages) {
    await large.add(Math.max(0, stage - large.size));
    for (const { url } of [small, large]) {
      await withClient(url, (client) => client.query('checkpoint'));
    }
    const took = { small: [] as number[], large: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const inTurns = [['small', small] as const, ['large', large] as const];
      // Who comes first pays for the pause before it.
      if (round % 2 === 1) inTurns.reverse();
      for (const [name, log] of inTurns) took[name].push(await timed(() => log.add(batch)));
    }
    const [ofSmall, ofLarge] = [spreadOf(took.small), spreadOf(took.large)];
    results.push({
      records: large.size,
      bytesOfRecord: await withClient(large.url, (client) => bytesOf(client, large.size)),
      microsecondsOfRecord: { small: ofSmall, large: ofLarge },
      ratioOfMedians: Math.round((ofLarge.median / ofSmall.median) * 100) / 100,
    });
    process.stderr.write(`${JSON.stringify(results.at(-1))}\n`);
  }
  process.stdout.write(`${JSON.stringify({ ...numbers, batch, results }, null, 2)}\n`);
} finally {
  await small.close();
  await large.close();
}
