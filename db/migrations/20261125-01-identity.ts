import { firstRelease } from './schema-migration.ts';

/** In all tables, the collation of IDs is "C", because comparing bytes is faster than sorting by a language. */
const party = (table: string) => `
  create table ${table} (
    id text collate "C" primary key,
    name text not null,
    environment text not null
      constraint ${table}_environment_known check (environment in ('live', 'test')),
    created_at timestamptz(3) not null,
    suspended_at timestamptz(3),
    constraint ${table}_id_environment unique (id, environment)
  );
  -- Authentication reads the IDs of all suspended companies or investors. The index is small, because few are
  -- suspended.
  create index ${table}_suspended on ${table} (id) where suspended_at is not null;`;

/** Portfolios are sorted by company name, so each membership has a copy of the name for its index. */
const portfolios = `
  create table portfolio_membership (
    investor_id text collate "C" not null,
    company_id text collate "C" not null,
    environment text not null,
    added_at timestamptz(3) not null,
    company_name text collate "C" not null default '',
    -- Set when the company leaves the portfolio. The row stays, because access records still show the company name.
    removed_at timestamptz(3),
    primary key (investor_id, company_id),
    constraint portfolio_membership_investor foreign key (investor_id, environment)
      references investor (id, environment),
    constraint portfolio_membership_company foreign key (company_id, environment)
      references company (id, environment)
  );
  create index portfolio_membership_by_name
    on portfolio_membership (investor_id, company_name, company_id)
    where removed_at is null;
  create index portfolio_membership_by_age
    on portfolio_membership (investor_id, added_at, company_id)
    where removed_at is null;
  create index portfolio_membership_of_company on portfolio_membership (company_id);`;

/** No index contains a key's name or last use, so a new last use changes no index. */
const keys = (table: string, owner: string, more: string) => `
  create table ${table} (
    id text collate "C" primary key,
    ${owner}_id text collate "C" not null,
    environment text not null,
    digest bytea not null
      constraint ${table}_digest unique
      constraint ${table}_digest_is_sha256 check (octet_length(digest) = 32),
    hint text not null,
    ${more}
    created_at timestamptz(3) not null,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    replaced_by text collate "C" constraint ${table}_successor references ${table} (id),
    name text,
    last_used_at timestamptz(3),
    constraint ${table}_${owner} foreign key (${owner}_id, environment)
      references ${owner} (id, environment)
  );
  create index ${table}_of_${owner} on ${table} (${owner}_id, created_at, id);
  create index ${table}_replaced_by on ${table} (replaced_by) where replaced_by is not null;`;

const scopes = `array['companies:read', 'metrics:read', 'accounts:read', 'sources:read', 'reports:read',
  'webhooks:manage']`;

const apiKeys = keys(
  'api_key',
  'investor',
  `scopes text[] not null
      constraint api_key_scopes_known check (scopes <@ ${scopes} and cardinality(scopes) > 0),
    rate_limit integer constraint api_key_rate_limit_positive check (rate_limit > 0),`,
);

const companyScopes = `array['consents:manage', 'data:read', 'data:write']`;

const companyKeys = keys(
  'company_key',
  'company',
  `scopes text[] not null
      constraint company_key_scopes_known
        check (scopes <@ ${companyScopes} and cardinality(scopes) > 0),
    source text,`,
);

const contacts = `
  create table contact (
    id text collate "C" primary key,
    company_id text collate "C" constraint contact_company references company (id),
    investor_id text collate "C" constraint contact_investor references investor (id),
    email text not null,
    role text not null,
    created_at timestamptz(3) not null,
    language text,
    time_zone text,
    news_choices jsonb,
    constraint contact_one_owner check (num_nonnulls(company_id, investor_id) = 1),
    constraint contact_role_known check (role in ('viewer', 'admin')
      or role = case when company_id is null then 'member' else 'approver' end),
    constraint contact_of_company_once unique (company_id, email),
    constraint contact_of_investor_once unique (investor_id, email)
  );
  create index contact_by_address on contact (email);`;

export const identity = firstRelease(
  '20261125-01-identity',
  party('investor'),
  party('company'),
  portfolios,
  apiKeys,
  companyKeys,
  contacts,
);
