import { type Composition, compose } from '../../gateway/compose.ts';
import { readConfig } from '../../gateway/config.ts';
import { createHttpServer } from '../../gateway/http/server.ts';
import { createLogger } from '../../gateway/logs/logger.ts';
import { createRateLimiter } from '../../gateway/rate-limit/rate-limiter.ts';
import { startStatementCounter } from '../../test/support/statement-counter.ts';
import { migrate } from '../migrate.ts';
import { readOptions } from '../options.ts';
import { createDatabase, requireServers, withClient } from '../servers.ts';
import { spreadOf } from '../statistics.ts';

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
const limiter = createRateLimiter({ points: 1_000_000, windowSeconds: 60, redisUrls: null });
const counter = await startStatementCounter(database.url);
try {
  migrate(database.url);
  await fill();
  const service = await compose(
    { ...readConfig({ DATABASE_URL: counter.url }) },
    {
      role: 'service',
      rateLimiter: limiter,
      onError: (error) => process.stderr.write(`${error}\n`),
    },
  );
  await withClient(database.url, (client) => client.query('vacuum analyze'));
  const pages = await measurePages(service);
  await service.database.close();
  process.stdout.write(`${JSON.stringify({ ...numbers, barMilliseconds, pages }, null, 2)}\n`);
  if ((pages['/desk/portfolio']?.median ?? Number.POSITIVE_INFINITY) > barMilliseconds) {
    process.exitCode = 1;
  }
} finally {
  limiter.close();
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

/** Whole pages, from the request of a person who is signed in to the last byte of the answer. */
async function measurePages(service: Composition) {
  const { operatorUseCases, contactUseCases } = service;
  await operatorUseCases.addContact({ investorId: 'inv_1', email: 'ana@example.com' });
  const { token } = await operatorUseCases.createSignInLink({ investorId: 'inv_1' });
  const opened = await contactUseCases.signIn({ token, previousSession: null, device: null });
  const { graphql } = readConfig({ DATABASE_URL: database.url });
  const app = await createHttpServer({
    ...service,
    hasDesk: true,
    grantTtlDays: 365,
    rateLimiter: limiter,
    logger: createLogger('silent'),
    graphql,
    publicUrl: () => 'http://127.0.0.1',
    now: () => new Date(),
    listPublicKeys: operatorUseCases.listPublicKeys,
    health: { rateLimiter: limiter.health, database: async () => 'ok' },
  });
  const headers = { cookie: `portfolio_desk=${opened?.session}` };
  const pages: Record<string, Awaited<ReturnType<typeof measure>>> = {};
  for (const url of [
    '/desk/portfolio',
    '/desk/portfolio?order=endsAt',
    '/desk/portfolio?search=99',
    '/desk/portfolio/co_1',
  ]) {
    pages[url] = await measure(async () => {
      const { statusCode, body } = await app.inject({ url, headers });
      if (statusCode !== 200 || !body.includes('Company 1')) {
        throw new Error(`${url} answered ${statusCode}`);
      }
    });
  }
  await app.close();
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

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round((performance.now() - startedAt) * 100) / 100;
}
