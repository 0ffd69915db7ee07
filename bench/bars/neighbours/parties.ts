import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { withClient } from '../../servers.ts';
import { times } from './requests.ts';

/** An investor that only one attack uses, with an API key that has the default rate limit. */
export interface Party {
  readonly id: string;
  readonly key: string;
  readonly companies: readonly string[];
  /** The companies that have granted access. The investor hasn't requested access to the other companies. */
  readonly granted: readonly string[];
}

export const pointsOfKey = 600;
const grantedCompanies = 50;
const scopes = ['companies:read', 'metrics:read', 'accounts:read', 'sources:read'];

/** Creates three investors with these companies in their portfolios. The first companies grant access. */
export async function createParties(
  databaseUrl: string,
  companies: readonly string[],
): Promise<[Party, Party, Party]> {
  const granted = companies.slice(0, grantedCompanies);
  return withClient(databaseUrl, async (client) => {
    const create = () => createParty(client, companies, granted);
    return [await create(), await create(), await create()];
  });
}

async function createParty(
  client: pg.Client,
  companies: readonly string[],
  granted: readonly string[],
): Promise<Party> {
  const id = `inv_attack_${randomBytes(6).toString('hex')}`;
  await client.query(
    `insert into investor (id, name, environment, created_at) values ($1, $1, 'live', now())`,
    [id],
  );
  await client.query(
    `insert into portfolio_membership (investor_id, company_id, environment, added_at, company_name)
      select $1, id, 'live', now(), name from company where id = any($2::text[])`,
    [id, companies],
  );
  const [key = ''] = await insertKeys(client, id, 1);
  await client.query(
    `insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
        previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, deadline_at,
        last_event_type)
      select 'ar_' || md5($1 || company), $1, company, $3, $3, '{}', '{}', 'approved', now(), now(),
        now() + interval '1 year', now() + interval '1 year', 'access_request.approved'
      from unnest($2::text[]) as company`,
    [id, granted, ['metrics:read', 'sources:read']],
  );
  return { id, key, companies, granted };
}

/** Creates more API keys for the investor, each with the default rate limit. */
export const createKeys = (databaseUrl: string, { id }: Party, count: number): Promise<string[]> =>
  withClient(databaseUrl, (client) => insertKeys(client, id, count));

async function insertKeys(client: pg.Client, investorId: string, count: number): Promise<string[]> {
  const keys = times(count, () => createSecret('sk'));
  await client.query(
    `insert into api_key (id, investor_id, environment, digest, hint, scopes, rate_limit,
        created_at, expires_at)
      select 'key_' || md5(digest::text), $1, 'live', digest, 'svc_sk_live_…', $2, $3, now(),
        now() + interval '1 year'
      from unnest($4::bytea[]) as digest`,
    [investorId, scopes, pointsOfKey, keys.map(digestOf)],
  );
  return keys;
}

export async function createCompanyKeys(
  databaseUrl: string,
  companyId: string,
  count: number,
): Promise<string[]> {
  const keys = times(count, () => createSecret('ck'));
  await withClient(databaseUrl, (client) =>
    client.query(
      `insert into company_key (id, company_id, environment, digest, hint, created_at, scopes)
        select 'ck_' || md5(digest::text), $1, 'live', digest, 'svc_ck_live_…', now(),
          '{consents:manage}'
        from unnest($2::bytea[]) as digest`,
      [companyId, keys.map(digestOf)],
    ),
  );
  return keys;
}

export const createSecret = (kind: 'sk' | 'ck'): string =>
  `svc_${kind}_live_${randomBytes(16).toString('hex')}`;

const digestOf = (secret: string) => createHash('sha256').update(secret).digest();

export async function countRows(databaseUrl: string, { id }: Party) {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query(
      `select (select count(*)::int from access_record where investor_id = $1) as records,
        (select count(*)::int from access_request where investor_id = $1) as requests,
        (select count(*)::int from idempotency_key where investor_id = $1) as mutations`,
      [id],
    ),
  );
  return rows[0] as { records: number; requests: number; mutations: number };
}
