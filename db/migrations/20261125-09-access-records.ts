import { fireAlways, firstRelease, refusal } from './schema-migration.ts';

/**
 * An id takes 17 bytes instead of 37: it is a prefix and a UUID, and the column tells the prefix. An id of another form
 * is kept as its characters, behind a zero byte when they are sixteen, as a UUID has bytes. The functions are not
 * strict, so that PostgreSQL takes their expressions into the statements that call them.
 */
const ids = `
  create function id_bytes(prefix text, id text) returns bytea
    language sql immutable parallel safe
    return case
      when id ~ ('^' || prefix || '_[0-9a-f]{32}$') then decode(right(id, 32), 'hex')
      when octet_length(id) = 16 then '\\x00'::bytea || convert_to(id, 'UTF8')
      else convert_to(id, 'UTF8')
    end;
  -- PostgreSQL holds that an encoding may change, and makes no index of an expression that decodes by one.
  create function utf8_text(bytes bytea) returns text
    language sql immutable parallel safe return convert_from(bytes, 'UTF8');
  create function id_text(prefix text, id bytea) returns text
    language sql immutable parallel safe
    return case octet_length(id)
      when 16 then prefix || '_' || encode(id, 'hex')
      else case strpos(encode(ltrim(id, '\\x00'::bytea), 'escape'), '\\')
        when 0 then encode(ltrim(id, '\\x00'::bytea), 'escape')
        else utf8_text(ltrim(id, '\\x00'::bytea))
      end
    end;`;

const table = `
  create table access_record (
    id bytea not null,
    occurred_at timestamptz(3) not null,
    request_id bytea not null,
    protocol text not null,
    key_id bytea,
    investor_id bytea not null,
    company_id bytea,
    scope text not null,
    resource text not null,
    metric_key text,
    grant_id bytea,
    outcome text not null,
    count integer not null default 1,
    contact_id bytea,
    constraint access_record_names_its_grant
      check ((outcome = 'allowed') = (grant_id is not null)),
    constraint access_record_names_who_asked check ((key_id is null) <> (contact_id is null)),
    constraint access_record_counts_refusals
      check (count = 1 or (count > 1 and grant_id is null))
  ) partition by range (occurred_at);
  create table access_record_other partition of access_record default;`;

/**
 * In 24 bytes an entry: a hash of 4 bytes leads to the records of a company or an investor, and the records of one
 * instant are sorted by their ids when they are read.
 */
const indexes = `
  create index access_record_by_company
    on access_record (hashtext(id_text('co', company_id)), occurred_at);
  create index access_record_by_investor
    on access_record (hashtext(id_text('inv', investor_id)), hashtext(scope), occurred_at);
  -- Finds the records of some minutes, and costs an insertion next to nothing.
  create index access_record_by_time on access_record
    using brin (occurred_at) with (pages_per_range = 32, autosummarize = on);`;

/** Partitions take over a row trigger, future ones too; a TRUNCATE trigger must be made on each. */
const finality = `
  ${refusal('refuse_change_of_access_record', 'access records are never changed')}
  create trigger access_record_is_final before update or delete on access_record
    for each row execute function refuse_change_of_access_record();
  ${['access_record', 'access_record_other']
    .map(
      (table) => `
        create trigger ${table}_is_kept before truncate on ${table}
          for each statement execute function refuse_change_of_access_record();
        ${fireAlways(table, 'access_record_is_final', `${table}_is_kept`)}`,
    )
    .join('')}`;

/** For a role that does not own the table. Nobody may call it before the owner says so. */
const days = `
  create function create_access_record_days() returns void language plpgsql
    security definer set search_path from current set timezone = 'UTC' as $$
    declare
      day timestamptz;
      name text;
    begin
      lock table only access_record in share update exclusive mode;
      for day in
        select date_trunc('day', now()) + make_interval(days => number)
        from generate_series(0, 14) as number
      loop
        name := 'access_record_' || to_char(day, 'YYYY_MM_DD');
        continue when to_regclass(name) is not null;
        -- Records that are there already are moved by the owner.
        continue when exists (select from access_record_other
          where occurred_at >= day and occurred_at < day + interval '1 day');
        execute format('create table %I partition of access_record for values from (%L) to (%L)',
          name, day, day + interval '1 day');
        execute format('create trigger %I before truncate on %I
          for each statement execute function refuse_change_of_access_record()',
          name || '_is_kept', name);
        execute format('alter table %I enable always trigger %I', name, name || '_is_kept');
      end loop;
    end
  $$;
  revoke execute on function create_access_record_days() from public;`;

/**
 * The bytes are there to be compared with: PostgreSQL knows how many records have them. Without the rights of its caller,
 * whoever may read the view would read its table as the owner does.
 */
const view = `
  create view access_record_text with (security_invoker = true) as
    select id_text('rec', id) as id, id_text('req', request_id) as request_id,
      id_text('key', key_id) as key_id, id_text('inv', investor_id) as investor_id,
      id_text('co', company_id) as company_id, id_text('ar', grant_id) as grant_id,
      id_text('ct', contact_id) as contact_id,
      occurred_at, protocol, scope, resource, metric_key, outcome, count,
      company_id as company_bytes, investor_id as investor_bytes
    from access_record;`;

/**
 * Who read what. A partition of the table holds a day, so that old days can be dropped as a whole. Records of a day
 * without a partition go to the default one, so none is lost. Nobody can change, delete or truncate a record.
 */
export const accessRecords = firstRelease(
  '20261125-09-access-records',
  ids,
  table,
  indexes,
  finality,
  days,
  view,
);
