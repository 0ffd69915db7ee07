import { firstRelease } from './schema-migration.ts';

const party = (table: string) => `
  create table ${table} (
    id text primary key,
    name text not null,
    environment text not null
      constraint ${table}_environment_known check (environment in ('live', 'test')),
    created_at timestamptz(3) not null,
    suspended_at timestamptz(3),
    constraint ${table}_id_environment unique (id, environment)
  );`;

/**
 * A portfolio is read in pages, in the order of an index, however many companies it has. For that each membership has
 * the name of its company. Both functions run as their owner, so whoever writes needs no right for what they write.
 */
const portfolios = `
  create table portfolio_membership (
    investor_id text not null,
    company_id text not null,
    environment text not null,
    added_at timestamptz(3) not null,
    company_name text collate "C" not null default '',
    primary key (investor_id, company_id),
    constraint portfolio_membership_investor foreign key (investor_id, environment)
      references investor (id, environment),
    constraint portfolio_membership_company foreign key (company_id, environment)
      references company (id, environment)
  );
  create index portfolio_membership_by_name
    on portfolio_membership (investor_id, company_name, company_id collate "C");
  create index portfolio_membership_by_age
    on portfolio_membership (investor_id, added_at, company_id collate "C");
  create index portfolio_membership_of_company on portfolio_membership (company_id);
  -- The lock waits for a change of the name that is not committed yet, and holds one up until the membership is.
  create function portfolio_membership_takes_name() returns trigger
    language plpgsql security definer set search_path from current as $$
    begin
      select name into new.company_name from company where id = new.company_id for share;
      return new;
    end
  $$;
  -- Whoever restores or replicates brings the names along, so the triggers need not fire there.
  create trigger portfolio_membership_takes_name before insert on portfolio_membership
    for each row execute function portfolio_membership_takes_name();
  create function company_passes_name_on() returns trigger
    language plpgsql security definer set search_path from current as $$
    begin
      update portfolio_membership set company_name = new.name where company_id = new.id;
      return null;
    end
  $$;
  create trigger company_passes_name_on after update of name on company
    for each row when (old.name is distinct from new.name)
    execute function company_passes_name_on();`;

/** No index has the name of a key or when it was used last, so that a use costs no more than its row. */
const keys = (table: string, owner: string, more: string) => `
  create table ${table} (
    id text primary key,
    ${owner}_id text not null,
    environment text not null,
    digest bytea not null
      constraint ${table}_digest unique
      constraint ${table}_digest_is_sha256 check (octet_length(digest) = 32),
    hint text not null,
    ${more}
    created_at timestamptz(3) not null,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    replaced_by text constraint ${table}_successor references ${table} (id),
    name text,
    last_used_at timestamptz(3),
    suspended_at timestamptz(3),
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
    id text primary key,
    company_id text constraint contact_company references company (id),
    investor_id text constraint contact_investor references investor (id),
    email text not null,
    role text not null,
    created_at timestamptz(3) not null,
    suspended_at timestamptz(3),
    constraint contact_one_owner check (num_nonnulls(company_id, investor_id) = 1),
    constraint contact_role_known check (role in ('viewer', 'admin')
      or role = case when company_id is null then 'member' else 'approver' end),
    constraint contact_of_company_once unique (company_id, email),
    constraint contact_of_investor_once unique (investor_id, email)
  );
  create index contact_by_address on contact (email);`;

/**
 * Whatever lets somebody in says itself whether its owner is suspended, so that no look-up of it has to ask for the owner.
 * The lock waits for a suspension that is not committed yet. Both functions run as their owner, and nobody else may write
 * these columns.
 */
const suspensions = (owner: 'investor' | 'company', ...tables: readonly string[]) => `
  ${tables
    .map(
      (table) => `
  create function ${table}_takes_suspension_of_${owner}() returns trigger
    language plpgsql security definer set search_path from current as $$
    begin
      select suspended_at into new.suspended_at from ${owner} where id = new.${owner}_id for share;
      return new;
    end
  $$;
  create trigger ${table}_takes_suspension_of_${owner} before insert on ${table}
    for each row when (new.${owner}_id is not null)
    execute function ${table}_takes_suspension_of_${owner}();`,
    )
    .join('')}
  create function ${owner}_passes_suspension_on() returns trigger
    language plpgsql security definer set search_path from current as $$
    begin
      ${tables
        .map(
          (table) => `
      update ${table} set suspended_at = new.suspended_at where ${owner}_id = new.id;`,
        )
        .join('')}
      return null;
    end
  $$;
  create trigger ${owner}_passes_suspension_on after update of suspended_at on ${owner}
    for each row when (old.suspended_at is distinct from new.suspended_at)
    execute function ${owner}_passes_suspension_on();`;

/** Investors and companies, which companies are in whose portfolio, their keys and their contacts. */
export const identity = firstRelease(
  '20261125-01-identity',
  party('investor'),
  party('company'),
  portfolios,
  apiKeys,
  companyKeys,
  contacts,
  suspensions('investor', 'api_key', 'contact'),
  suspensions('company', 'company_key', 'contact'),
);
