import type pg from 'pg';
import { readOptions } from '../options.ts';
import { withClient } from '../servers.ts';
import { withDatabase } from '../setting.ts';
import type { Spread } from '../statistics.ts';
import { openDesk, timed, timedOften } from './open-desk.ts';

/**
 * How long the service takes for the pages of the desk when a company has very many requests and access records. The first page must stay within the bar at the median. With `--uncounted` nothing is
 * counted in advance.
 */
const isUncounted = process.argv.includes('--uncounted');
process.argv = process.argv.filter((argument) => argument !== '--uncounted');
const { numbers } = readOptions(
  { requests: 10_000, records: 1_000_000, readers: 200, metrics: 10, samples: 30 },
  { requests: 500, records: 20_000, samples: 3 },
);

const barMilliseconds = 150;

await withDatabase(async ({ url }) => {
  const filledIn = await timed(() => withClient(url, fill));
  await using desk = await openDesk(url);
  const { countAccessRecords } = desk.service.serviceUseCases;
  const countedIn = isUncounted ? null : await timed(() => countAll(url, countAccessRecords));
  await withClient(url, (client) => client.query('vacuum analyze'));
  const get = await desk.signIn({ companyId: 'co_1' });
  const pages: Record<string, Spread> = {};
  for (const page of ['', 'requests', 'grants', 'activity', 'settings']) {
    pages[`/desk/${page}`] = await timedOften(numbers.samples, () => get(`/desk/${page}`));
  }
  process.stdout.write(
    `${JSON.stringify({ isUncounted, ...numbers, filledIn, countedIn, barMilliseconds, pages }, null, 2)}\n`,
  );
  if ((pages['/desk/']?.median ?? Number.POSITIVE_INFINITY) > barMilliseconds) process.exitCode = 1;
});

/** One company, to which everybody has sent a request; some of them read, mostly in the last months. */
async function fill(client: pg.Client): Promise<void> {
  const { requests, records, readers, metrics } = numbers;
  if (readers > requests) throw new Error('there are fewer requests than readers');
  await client.query(`insert into company values ('co_1', 'Harbor', 'live', now())`);
  await client.query(
    `insert into investor select 'inv_' || number, 'Investor ' || number, 'live', now()
    from generate_series(1, $1::int) as number`,
    [requests],
  );
  await client.query(`
    insert into api_key (id, investor_id, environment, digest, hint, scopes, created_at)
    select 'key_' || id, id, 'live', sha256(id::bytea), 'svc_sk_live_…0000', '{metrics:read}', now()
    from investor`);
  // Of ten requests four were granted, three wait, and three were declined; of 40 grants one ends this month.
  await client.query(
    `insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
      previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, deadline_at,
      last_event_type)
    select 'ar_' || number, 'inv_' || number, 'co_1', '{metrics:read}',
      case when status = 'approved' then '{metrics:read}' else '{}' end::text[], '{}', '{}',
      status, now() - number * interval '1 minute',
      case when status <> 'pending' then now() end,
      case when status = 'approved' then ends end,
      case when status = 'approved' then ends else now() + interval '20 days' end,
      'access_request.' || case status when 'pending' then 'created' else status end
    from generate_series(1, $1::int) as number, lateral (
      select case when number % 10 < 4 then 'approved' when number % 10 < 7 then 'pending'
          else 'declined' end as status,
        now() + interval '1 day' * case when number % 100 = 0 then 10 else 200 end as ends
    ) as state`,
    [requests],
  );
  await client.query(
    `insert into access_record (id, occurred_at, request_id, protocol, key_id, investor_id,
      company_id, scope, resource, metric_key, outcome, grant_id)
    select id_bytes('rec', 'rec_' || number),
      now() - interval '1 year' * power(number::float8 / $1, 2), 'req_1', 'rest',
      id_bytes('key', 'key_inv_' || reader), id_bytes('inv', 'inv_' || reader), 'co_1', 'metrics:read', 'metric',
      'metric_' || number / $2::int % $3::int, case when reader % 10 < 4 then 'allowed' else 'access_required' end,
      case when reader % 10 < 4 then id_bytes('ar', 'ar_' || reader) end
    from generate_series(1, $1::int) as number, lateral (select 1 + number % $2::int as reader)
      as who`,
    [records, readers, metrics],
  );
  await client.query(
    `update access_record_counted set counted_until = (select min(occurred_at) from access_record)`,
  );
}

/** As the service does by itself, until there is nothing left but the last minutes. */
async function countAll(url: string, countAccessRecords: () => Promise<unknown>): Promise<void> {
  for (let isDone = false; !isDone; ) {
    await countAccessRecords();
    const { rowCount } = await withClient(url, (client) =>
      client.query(
        `select from access_record_counted where counted_until > now() - interval '10 minutes'`,
      ),
    );
    isDone = rowCount !== 0;
  }
}
