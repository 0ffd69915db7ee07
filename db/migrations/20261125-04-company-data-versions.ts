import { fireAlways, firstRelease } from './schema-migration.ts';

/** For each table, the query for the companies that some of its rows belong to. */
const companiesOf: Readonly<Record<string, (rows: string) => string>> = {
  metric_series: (rows) => `select company_id from ${rows}`,
  metric_point: (rows) =>
    `select company_id from metric_series where id in (select series_id from ${rows})`,
  source: (rows) => `select company_id from ${rows}`,
  account: (rows) => `select company_id from ${rows}`,
};

/**
 * For each event, the transition tables of its trigger. An update has both, because a row that moves from one company
 * to another changes what can be read of both.
 */
const transitionTablesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  insert: { latter: 'new table as latter' },
  update: { former: 'old table as former', latter: 'new table as latter' },
  delete: { former: 'old table as former' },
};

const nameOf = (table: string, event: string) => `${table}_${event}_is_noted`;

const tables = `
  create table company_data_version (
    company_id text primary key
      constraint company_data_version_company references company (id),
    version bigint not null
  );`;

/**
 * A subscriber of PostgreSQL's logical replication gets the versions like any other rows, so a process of the server
 * that applies what another one has sent makes none; its row may show no more than that it is there.
 */
const define = (name: string, companies: string, rows: readonly string[] = []) => `
  create function ${name}() returns trigger
    language plpgsql set search_path from current as $$
    begin
      if current_setting('session_replication_role') = 'replica' and not exists (
        select from pg_stat_activity
        where pid = pg_backend_pid() and backend_type = 'client backend'
      ) then
        return null;
      end if;
      ${rows.length === 0 ? '' : `if not (${rows.map((table) => `exists (select from ${table})`).join(' or ')}) then return null; end if;`}
      insert into company_data_version as kept (company_id, version)
      select company_id, (extract(epoch from clock_timestamp()) * 1000000)::bigint
      from (select distinct company_id from (${companies}) as touched order by company_id)
        as company
      on conflict (company_id) do update
        set version = greatest(excluded.version, kept.version + 1);
      return null;
    end
  $$;`;

const note = (table: string, event: string, call: string, transition: object = {}) => {
  const tables = Object.values(transition).join(' ');
  return `
    create trigger ${nameOf(table, event)} after ${event} on ${table}
      ${tables && `referencing ${tables}`}
      for each statement execute function ${call}();
    ${fireAlways(table, nameOf(table, event))}`;
};

const changesOf = ([table, select]: [string, (rows: string) => string]) => [
  ...Object.entries(transitionTablesOf).flatMap(([event, transition]) => [
    define(
      nameOf(table, event),
      Object.keys(transition).map(select).join(' union '),
      Object.keys(transition),
    ),
    note(table, event, nameOf(table, event), transition),
  ]),
  define(nameOf(table, 'truncate'), 'select company_id from company_data_version'),
  note(table, 'truncate', nameOf(table, 'truncate')),
];

/** What a company is told of earlier revisions changes by itself only when one of them is signed. */
const revisions = note(
  'metric_revision',
  'update',
  nameOf('metric_point', 'update'),
  transitionTablesOf.update,
);

/**
 * Each company has a version number, and every change of its data gives it a new one, whoever makes the change: data
 * read under the same number is the same. It is made of the clock, in microseconds, so that a database that was restored
 * gives none away that others have seen before.
 */
export const companyDataVersions = firstRelease(
  '20261125-04-company-data-versions',
  tables,
  ...Object.entries(companiesOf).flatMap(changesOf),
  revisions,
);
