import { startStatementCounter } from '../../test/support/statement-counter.ts';
import { migrate } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { createDatabase, requireServers, withClient } from '../servers.ts';
import { spreadOf } from '../statistics.ts';
import { type OpenDesk, openDesk, timed } from './open-desk.ts';

/**
 * How long the service takes for a page of the portfolio of an investor whose companies all share their figures, and how
 * many statements. The first page must stay within the bar at the median.
 */
const { numbers } = readOptions(
  { companies: 2_000, metrics: 8, months: 36, samples: 40 },
  { companies: 100, samples: 3 },
);

const barMilliseconds = 150;

await requireServers();
const database = await createDatabase();
const counter = await startStatementCounter(database.url);
try {
  migrate(database.url);
  await fill();
  await using desk = await openDesk(counter.url);
  await withClient(database.url, (client) => client.query('vacuum analyze'));
  const pages = await measurePages(desk);
  process.stdout.write(`${JSON.stringify({ ...numbers, barMilliseconds, pages }, null, 2)}\n`);
  if ((pages['/desk/portfolio']?.median ?? Number.POSITIVE_INFINITY) > barMilliseconds) {
    process.exitCode = 1;
  }
} finally {
  await counter.close();
  await database.drop();
}

/** Each company has granted everything, and has years of monthly values. */
async function fill(): Promise<void> {
  const { companies, metrics, months } = numbers;
  await withClient(database.url, async (client) => {
    await client.query(`insert into investor values ('inv_1', 'Northlight', 'live', now())`);
    await client.query(
      `insert into company (id, name, environment, created_at)
      select 'co_' || n, 'Company ' || n, 'live', now() from generate_series(1, $1::int) as n`,
      [companies],
    );
    await client.query(`
      insert into portfolio_membership (investor_id, company_id, environment, added_at)
      select 'inv_1', id, 'live', now() from company`);
    await client.query(`
      insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
        previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, deadline_at,
        last_event_type)
      select 'ar_' || md5(id), 'inv_1', id, '{metrics:read}', '{metrics:read}', '{}', '{}', 'approved',
        now(), now(), now() + interval '1 year', now() + interval '1 year', 'access_request.approved'
      from company`);
    await client.query(
      `insert into metric_series (company_id, key, label, category)
      select id, 'metric_' || n, 'Metric ' || n, 'other'
      from company, generate_series(1, $1::int) as n`,
      [metrics],
    );
    await client.query(
      `insert into metric_point
      select id, (date '2026-11-01' - n * interval '1 month' - interval '1 day')::date, 'USD',
        1250000.5 + n, '$1,250,000.50', now(), 'high', 'mercury', 'api', now(), true
      from metric_series, generate_series(0, $1::int - 1) as n`,
      [months],
    );
  });
}

async function measurePages({ signIn }: OpenDesk) {
  const get = await signIn({ investorId: 'inv_1' });
  const pages: Record<string, Awaited<ReturnType<typeof measure>>> = {};
  for (const url of [
    '/desk/portfolio',
    '/desk/portfolio?order=endsAt',
    '/desk/portfolio?search=99',
    '/desk/portfolio/co_1',
  ]) {
    pages[url] = await measure(async () => {
      if (!(await get(url)).includes('Company 1')) throw new Error(`${url} shows no company`);
    });
  }
  return pages;
}

/** In milliseconds, with the statements of the last one; the first time, when nothing is in memory yet, does not count. */
async function measure(work: () => Promise<unknown>) {
  await work();
  const samples: number[] = [];
  let statements = 0;
  for (let sample = 0; sample < numbers.samples; sample += 1) {
    statements = await counter.count(async () => void samples.push(await timed(work)));
  }
  return { ...spreadOf(samples), statements };
}
