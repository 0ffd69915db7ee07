import { createHash } from 'node:crypto';
import type pg from 'pg';
import { withClient } from '../servers.ts';
import { metricDefinitions } from './metrics.ts';
import { createRandom } from './random.ts';
import {
  backgroundInvestors,
  portfolioSize,
  requestsPerPair,
  type Sizes,
  shortHistory,
} from './sizes.ts';
import { fillPoints, fillRequests } from './tables.ts';
import { describeWorld, type Key, type World } from './world.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The first date of the data, as SQL. It is more than a year ago, so that no row is in the future. */
const beginning = `date_trunc('day', now()) - interval '400 days'`;

/** Fills a migrated, empty database. Except for dates, the rows depend only on the seed and the sizes. */
export async function fill(url: string, seed: number, sizes: Sizes): Promise<World> {
  return withClient(url, async (client) => {
    // Turns off the checks of foreign keys, which would take most of the time. The created foreign keys are valid.
    await client.query(`set session_replication_role = replica`).catch(() => undefined);
    await client.query(`set synchronous_commit = off; set timezone = 'UTC'`);
    const random = createRandom(seed);
    const companies = Array.from({ length: sizes.companies }, (_, index) => name('co_b', index));
    const investors = Array.from(
      { length: sizes.loadInvestors + backgroundInvestors(sizes) },
      (_, index) => ({
        id: name('inv_b', index),
        companies: random.sample(companies, portfolioSize),
      }),
    );
    const mixed = { id: 'inv_mixed', companies: random.sample(companies, portfolioSize) };
    const secret = () => `svc_sk_live_${random.text(base62, 32)}`;
    const world = describeWorld({ companies, investors, mixed, secret, sizes });

    await insertParties(client, 'investor', [...investors.map(({ id }) => id), mixed.id]);
    await insertParties(client, 'company', companies);
    await insertMemberships(client, [...investors, mixed]);
    await insertKeys(client, world.keys);
    await fillRequests(client, requestsPerPair - 1);
    await insertSeries(client);
    await fillPoints(client, shortHistory(sizes), sizes.longHistories);
    await insertSources(client);
    await client.query(
      `insert into company_data_version select id, 1 from company on conflict do nothing`,
    );
    await client.query('vacuum analyze');
    await client.query('checkpoint').catch(() => undefined);
    return world;
  });
}

const name = (prefix: string, index: number) => `${prefix}${String(index + 1).padStart(6, '0')}`;

async function insertParties(client: pg.Client, table: 'investor' | 'company', ids: string[]) {
  await client.query(
    `insert into ${table} (id, name, environment, created_at)
      select id, initcap(replace(id, '_', ' ')), 'live', ${beginning} from unnest($1::text[]) as id`,
    [ids],
  );
}

async function insertMemberships(
  client: pg.Client,
  investors: readonly { id: string; companies: string[] }[],
) {
  const pairs = investors.flatMap(({ id, companies }) =>
    companies.map((company) => [id, company] as const),
  );
  await client.query(
    `insert into portfolio_membership (investor_id, company_id, environment, added_at, company_name)
      select investor_id, company_id, 'live', ${beginning}, company.name
      from unnest($1::text[], $2::text[]) as pair (investor_id, company_id)
      join company on company.id = company_id`,
    [pairs.map(([investor]) => investor), pairs.map(([, company]) => company)],
  );
}

async function insertKeys(client: pg.Client, keys: readonly Key[]) {
  await client.query(
    `insert into api_key (id, investor_id, environment, digest, hint, scopes, rate_limit,
        created_at, expires_at, revoked_at)
      select id, investor_id, 'live', digest, hint, string_to_array(scopes, ' '), 1000000000,
        ${beginning},
        case state when 'expired' then now() - interval '1 day' else now() + interval '1 year' end,
        case state when 'revoked' then now() - interval '1 day' end
      from unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[])
        as key (id, investor_id, digest, hint, scopes, state)`,
    [
      keys.map(({ id }) => id),
      keys.map(({ investorId }) => investorId),
      keys.map(({ secret }) => createHash('sha256').update(secret).digest()),
      keys.map(({ secret }) => `svc_sk_live_…${secret.slice(-4)}`),
      keys.map(({ scopes }) => scopes.join(' ')),
      keys.map(({ state }) => state),
    ],
  );
}

async function insertSeries(client: pg.Client) {
  const column = (index: 0 | 1 | 2) => metricDefinitions.map((definition) => definition[index]);
  await client.query(
    `insert into metric_series (company_id, key, label, category)
      select id, key, label, category
      from company, unnest($1::text[], $2::text[], $3::text[]) as definition (key, label, category)
      order by id, key`,
    [column(0), column(1), column(2)],
  );
}

async function insertSources(client: pg.Client) {
  await client.query(
    `insert into source (company_id, provider, account_name, status, last_synced_at)
      select id, provider, 'Main', 'connected', ${beginning} + interval '399 days'
      from company, unnest(array['mercury', 'quickbooks', 'stripe']) as provider`,
  );
}
