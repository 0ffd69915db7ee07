import { firstRelease } from './schema-migration.ts';

const runs = `
  create table import_run (
    id text primary key,
    started_at timestamptz(3) not null
  );`;

/**
 * A line of a file may say several things: `line` numbers what is staged, one after the other, and `file_line` is where
 * an operator finds it.
 */
const stage = (type: string, columns: string) => `
  create unlogged table import_${type} (
    import_id text not null,
    line bigint not null,
    file_line bigint not null,
    ${columns},
    primary key (import_id, line)
  );`;

const metricColumns = `
    company_id text not null,
    key text not null,
    label text not null,
    category text not null,
    says_label boolean not null,
    says_category boolean not null,
    period date not null,
    currency text,
    raw_value numeric not null,
    value text not null,
    as_of timestamptz(3) not null,
    confidence text not null,
    source_system text not null,
    source_method text not null,
    last_synced timestamptz(3) not null,
    verified boolean not null,
    source_signature text`;

/** What a record says of one, not what others were told of it. */
const sourceColumns = `
    company_id text not null,
    provider text not null,
    account_name text not null,
    status text not null,
    last_synced_at timestamptz(3) not null,
    expected_every text,
    stale_at timestamptz(3)`;

const others = `
  create index import_company_by_company on import_company (import_id, company_id, line);
  -- Values that say which revision they are, with the signatures that they keep.
  create unlogged table import_revision (
    like import_metric,
    revision integer not null,
    environment text,
    signed_at timestamptz(3),
    signature bytea,
    kid text,
    public_key text,
    primary key (import_id, line)
  );
  create index import_revision_of_value on import_revision
    (import_id, company_id, key, period, revision);
  create index import_revision_by_number on import_revision (import_id, revision);
  -- The fill factor leaves room for the signature, which comes after the line.
  create unlogged table import_signature (
    import_id text not null,
    line bigint not null,
    environment text not null,
    revision integer not null,
    signed_at timestamptz(3),
    signature bytea,
    signing_key smallint,
    primary key (import_id, line)
  ) with (fillfactor = 50);
  -- Telling the planner how much is staged takes the owner. Nobody may call it before he says so.
  create function analyze_import() returns void language plpgsql
    security definer set search_path from current set timezone = 'UTC' as $$
    begin
      analyze import_company, import_metric, import_revision, import_source, import_account,
        import_signature, import_portfolio;
    end
  $$;
  revoke execute on function analyze_import() from public;`;

/** What pushes of companies were answered under their idempotency keys, so that a repetition is answered alike. */
const idempotentPushes = `
  create table idempotent_push (
    company_id text not null constraint idempotent_push_company references company (id),
    key text not null,
    fingerprint bytea not null,
    pushed_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    created integer not null,
    revised integer not null,
    unchanged integer not null,
    data_version bigint not null,
    primary key (company_id, key)
  );
  create index idempotent_push_by_expiry on idempotent_push (expires_at);`;

/**
 * Where the lines of an import wait until it is applied. The tables are unlogged: a crash of the database server empties
 * them, but then the import has to be started again anyway.
 */
export const imports = firstRelease(
  '20261125-05-imports',
  runs,
  stage('company', 'company_id text not null, name text not null, environment text not null'),
  stage('metric', metricColumns),
  stage('source', sourceColumns),
  stage('account', 'like account'),
  stage('portfolio', 'investor_id text not null, company_id text not null'),
  others,
  idempotentPushes,
);
