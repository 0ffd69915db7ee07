import type pg from 'pg';
import { startStatementCounter } from '../../test/support/statement-counter.ts';
import { readOptions } from '../options.ts';
import { withClient } from '../servers.ts';
import { withDatabase } from '../setting.ts';
import type { Spread } from '../statistics.ts';
import { openDesk, timedOften } from './open-desk.ts';

/**
 * How long the service takes for a page of the portfolio of an investor whose companies all share their figures, and how
 * many statements. The first page must stay within the bar at the median.
 */
const { numbers } = readOptions(
  { companies: 2_000, metrics: 8, months: 36, samples: 40 },
  { companies: 100, samples: 3 },
);

const barMilliseconds = 150;

await withDatabase(async ({ url }) => {
  await withClient(url, fill);
  await using resources = new AsyncDisposableStack();
  const counter = resources.adopt(await startStatementCounter(url), ({ close }) => close());
  const desk = resources.use(await openDesk(counter.url));
  await withClient(url, (client) => client.query('vacuum analyze'));
  const get = await desk.signIn({ investorId: 'inv_1' });
  const pages: Record<string, Spread & { readonly statements: number }> = {};
  for (const page of ['', '?order=endsAt', '?search=99', '/co_1']) {
    const path = `/desk/portfolio${page}`;
    const read = async () => {
      if (!/Company \d/.test(await get(path))) throw new Error(`${path} shows no company`);
    };
    const spread = await timedOften(numbers.samples, read);
    pages[path] = { ...spread, statements: await counter.count(read) };
  }
  process.stdout.write(`${JSON.stringify({ ...numbers, barMilliseconds, pages }, null, 2)}\n`);
  if ((pages['/desk/portfolio']?.median ?? Number.POSITIVE_INFINITY) > barMilliseconds) {
    process.exitCode = 1;
  }
});

/** Each company has granted everything, and has years of monthly values. */
async function fill(client: pg.Client): Promise<void> {
  const { companies, metrics, months } = numbers;
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
}
