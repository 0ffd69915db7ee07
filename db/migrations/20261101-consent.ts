import { Migration } from '@mikro-orm/migrations';

const environments = `('live', 'test')`;
const scopes = `array['companies:read', 'metrics:read', 'accounts:read', 'sources:read', 'reports:read']`;
const grantable = `array['metrics:read', 'accounts:read', 'sources:read']`;
const live = `('pending', 'approved')`;

/** Investors, companies, portfolios, keys, and who may read what. */
export class Consent extends Migration {
  override up(): void {
    for (const table of ['investor', 'company']) {
      this.addSql(`
        create table ${table} (
          id text primary key,
          name text not null,
          environment text not null
            constraint ${table}_environment_known check (environment in ${environments}),
          created_at timestamptz(3) not null,
          constraint ${table}_id_environment unique (id, environment)
        )`);
    }

    this.addSql(`
      create table portfolio_membership (
        investor_id text not null,
        company_id text not null,
        environment text not null,
        added_at timestamptz(3) not null,
        primary key (investor_id, company_id),
        constraint portfolio_membership_investor foreign key (investor_id, environment)
          references investor (id, environment),
        constraint portfolio_membership_company foreign key (company_id, environment)
          references company (id, environment)
      )`);

    this.addSql(`
      create table api_key (
        id text primary key,
        investor_id text not null,
        environment text not null,
        digest bytea not null
          constraint api_key_digest unique
          constraint api_key_digest_is_sha256 check (octet_length(digest) = 32),
        hint text not null,
        scopes text[] not null
          constraint api_key_scopes_known check (scopes <@ ${scopes} and cardinality(scopes) > 0),
        rate_limit integer constraint api_key_rate_limit_positive check (rate_limit > 0),
        created_at timestamptz(3) not null,
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        replaced_by text constraint api_key_successor references api_key (id),
        constraint api_key_investor foreign key (investor_id, environment)
          references investor (id, environment)
      )`);
    this.addSql(`create index api_key_of_investor on api_key (investor_id, created_at, id)`);

    this.addSql(`
      create table access_request (
        id text primary key,
        investor_id text not null constraint access_request_investor references investor (id),
        company_id text not null constraint access_request_company references company (id),
        requested_scopes text[] not null,
        approved_scopes text[] not null,
        status text not null,
        purpose text,
        reason text,
        created_at timestamptz(3) not null,
        decided_at timestamptz(3),
        expires_at timestamptz(3),
        deadline_at timestamptz(3) not null,
        constraint access_request_status_known
          check (status in ('pending', 'approved', 'declined', 'expired', 'revoked')),
        constraint access_request_asks_for_something
          check (requested_scopes <@ ${grantable} and cardinality(requested_scopes) > 0),
        constraint access_request_grants_what_was_asked
          check (approved_scopes <@ requested_scopes),
        constraint access_request_grant_is_whole check (case status
          when 'approved' then cardinality(approved_scopes) > 0
            and expires_at is not null and decided_at is not null
          when 'pending' then cardinality(approved_scopes) = 0
            and expires_at is null and decided_at is null
          when 'declined' then cardinality(approved_scopes) = 0 and expires_at is null
          else true end)
      )`);
    this.addSql(`
      create unique index access_request_one_live on access_request (investor_id, company_id)
        where status in ${live}`);
    this.addSql(`
      create index access_request_newest_of_pair
        on access_request (investor_id, company_id, created_at desc, id desc)`);
    this.addSql(`
      create index access_request_newest_of_investor
        on access_request (investor_id, created_at desc, id desc)`);
    this.addSql(`
      create index access_request_newest_of_company
        on access_request (company_id, created_at desc, id desc)`);
    this.addSql(`
      create index access_request_live_by_deadline on access_request (deadline_at, id)
        where status in ${live}`);

    this.addSql(`
      create table access_event (
        position bigint generated always as identity primary key,
        id text not null constraint access_event_id unique,
        type text not null constraint access_event_type_known check (type in (
          'access_request.created', 'access_request.approved', 'access_request.declined',
          'access_request.expired', 'access_request.revoked')),
        created_at timestamptz(3) not null,
        access_request_id text not null
          constraint access_event_access_request references access_request (id),
        access_request jsonb not null
      )`);

    this.addSql(`
      create table idempotency_key (
        investor_id text not null constraint idempotency_key_investor references investor (id),
        key text not null,
        claim_id text not null,
        fingerprint bytea not null,
        claimed_at timestamptz(3) not null,
        leased_until timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        outcome text constraint idempotency_key_outcome_known
          check (outcome in ('created', 'existing')),
        access_request_id text
          constraint idempotency_key_access_request references access_request (id),
        primary key (investor_id, key),
        constraint idempotency_key_outcome_is_whole
          check ((outcome is null) = (access_request_id is null))
      )`);
    this.addSql(`create index idempotency_key_by_expiry on idempotency_key (expires_at)`);
  }

  override down(): void {
    this.addSql(`
      drop table idempotency_key, access_event, access_request, api_key, portfolio_membership,
        company, investor`);
  }
}
