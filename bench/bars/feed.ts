import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { migrate } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { createDatabase, requireServers, withClient } from '../servers.ts';

/**
 * Writers change access requests through the product's own use cases, and some of them commit late, while readers poll
 * the feed with the last event that they have. Nobody may miss an event or get one twice, and all must see one order.
 * With `--naive` the readers go by the numbers that the insertions draw, as one would without the feed: that must fail.
 */
const isNaive = process.argv.includes('--naive');
process.argv = process.argv.filter((argument) => argument !== '--naive');
const { numbers } = readOptions(
  { transitions: 100_000, writers: 32, readers: 8 },
  // Few enough writers to leave connections to whatever else uses the server.
  { transitions: 2_000, writers: 9, readers: 4 },
);
const { transitions, writers, readers } = numbers;

/** Each has four connections for what operators do, so that no writer waits for another one or for the reader. */
const writersOfService = 3;

/** Of those that read in one question. */
const pageSize = 1_000;

/** One commit in twenty comes late, by up to 20 ms. */
const lateCommits = [
  `create function commit_late() returns trigger language plpgsql as $$ begin
    if random() < 0.05 then perform pg_sleep(random() * 0.02); end if;
    return null;
  end $$`,
  `create constraint trigger late after insert on access_event
    deferrable initially deferred for each row execute function commit_late()`,
];

interface Seen {
  readonly id: string;
  /** What to go on after. */
  readonly place: string;
}

type Poll = (after: string | null) => Promise<readonly Seen[]>;

await requireServers();
const bench = await createDatabase();
const limiter = createRateLimiter({ points: 1_000_000, windowSeconds: 60, redisUrls: null });
try {
  migrate(bench.url);
  await withClient(bench.url, async (client) => {
    for (const statement of lateCommits) await client.query(statement);
  });
  const services = await Promise.all(
    Array.from({ length: Math.ceil(writers / writersOfService) }, openService),
  );
  const startedAt = performance.now();
  let isWriting = true;
  const writing = Promise.all(
    Array.from({ length: writers }, (_, index) =>
      write(pick(services, index), Math.ceil(transitions / writers)),
    ),
  ).finally(() => {
    isWriting = false;
  });
  const reading = Array.from({ length: readers }, (_, index) => {
    const { operatorUseCases } = pick(services, index);
    const poll: Poll = isNaive
      ? pollNumbers
      : async (after) => {
          const { events } = await operatorUseCases.listAccessEvents({ after, limit: pageSize });
          return events.map(({ id }) => ({ id, place: id }));
        };
    return read(poll, () => isWriting);
  });
  const [seen] = await Promise.all([Promise.all(reading), writing]);
  const seconds = (performance.now() - startedAt) / 1_000;
  const result = compare(await listAll(), seen);
  await Promise.all(services.map(({ database }) => database.close()));
  process.stdout.write(
    `${JSON.stringify({ isNaive, transitions, writers, readers, seconds, ...result })}\n`,
  );
  const { events, skipped, doubled, outOfOrder } = result;
  if (events < transitions || skipped + doubled + outOfOrder > 0) process.exitCode = 1;
} finally {
  limiter.close();
  await bench.drop();
}

function openService(): Promise<Composition> {
  return compose(readConfig({ DATABASE_URL: bench.url }), {
    role: 'command',
    rateLimiter: limiter,
    onError: () => undefined,
  });
}

function pick<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}

/** So many changes: a request is made, approved and revoked, and then another one is made. */
async function write({ operatorUseCases, callerUseCases }: Composition, count: number) {
  const { createInvestor, createApiKey, createCompany, addToPortfolio } = operatorUseCases;
  const { id: investorId } = await createInvestor({ name: 'Writer', environment: 'live' });
  const { id: companyId } = await createCompany({ name: 'Written', environment: 'live' });
  await addToPortfolio({ investorId, companyId });
  const { secret } = await createApiKey({ investorId, scopes: ['metrics:read'] });
  const call = { requestId: 'req_feed', protocol: 'rest' } as const;
  const admission = await callerUseCases.admitCaller(secret, 1, call);
  if ('refusal' in admission) throw admission.refusal;
  for (let done = 0; done < count; done += 3) {
    const { accessRequest } = await callerUseCases.requestAccess(admission.caller, {
      companyId,
      scopes: ['metrics:read'],
    });
    if (done + 1 < count) await operatorUseCases.approveAccessRequest({ id: accessRequest.id });
    if (done + 2 < count) await operatorUseCases.revokeAccessRequest({ id: accessRequest.id });
  }
}

/** Until nothing is written any more and nothing new is there. */
async function read(poll: Poll, isWriting: () => boolean): Promise<string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  for (;;) {
    const mayBeLast = !isWriting();
    const page = await poll(after);
    ids.push(...page.map(({ id }) => id));
    after = page.at(-1)?.place ?? after;
    if (page.length === 0 && mayBeLast) return ids;
    if (page.length < pageSize) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The mistake that the feed avoids. */
async function pollNumbers(after: string | null): Promise<Seen[]> {
  const { rows } = await withClient(bench.url, (client) =>
    client.query(
      `select id, number::text as place from access_event where number > $1
        order by number limit ${pageSize}`,
      [after ?? '0'],
    ),
  );
  return rows;
}

async function listAll(): Promise<string[]> {
  const { rows } = await withClient(bench.url, async (client) => {
    // Each call takes a part of what waits.
    for (let last = ''; ; ) {
      const {
        rows: [row],
      } = await client.query('select number_access_events()::text as last');
      if (row.last === last) break;
      last = row.last;
    }
    return client.query('select id from access_event order by position');
  });
  return rows.map(({ id }) => id);
}

/** What the readers together have seen, beside what there is. */
function compare(all: readonly string[], seen: readonly (readonly string[])[]) {
  const indexOf = new Map(all.map((id, index) => [id, index]));
  let skipped = 0;
  let doubled = 0;
  let outOfOrder = 0;
  for (const ids of seen) {
    const different = new Set(ids);
    skipped += all.length - different.size;
    doubled += ids.length - different.size;
    const places = ids.map((id) => indexOf.get(id) ?? -1);
    outOfOrder += places.filter((place, index) => place < (places[index - 1] ?? -1)).length;
  }
  return { events: all.length, skipped, doubled, outOfOrder };
}
