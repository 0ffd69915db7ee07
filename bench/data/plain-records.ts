/** The table of access records of the programs that the service is compared with. */
export const plainRecords = `
  create table plain_access_record (
    id text not null,
    occurred_at timestamptz(3) not null,
    request_id text not null,
    protocol text not null,
    key_id text not null,
    investor_id text not null,
    company_id text not null,
    scope text not null,
    resource text not null,
    metric_key text,
    grant_id text not null,
    outcome text not null
  );
  create index on plain_access_record (company_id, occurred_at);
  create index on plain_access_record (investor_id, occurred_at)`;
