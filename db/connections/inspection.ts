import { type Store, sql } from './store.ts';

/** Facts about the server that an operator can change. */
export interface Inspection {
  /** For example `15.20`. */
  readonly version: string;
  readonly majorVersion: number;
  readonly encoding: string;
  readonly now: Date;
  readonly isReadOnly: boolean;
  readonly waitsForCommit: boolean;
  /** The number of connections allowed for the database role. */
  readonly connectionLimit: number;
  /** Every date from today to this one (`YYYY-MM-DD`) has a partition for access records. Null if today has none. */
  readonly partitionsUntil: string | null;
}

export async function inspect(store: Store): Promise<Inspection> {
  const [found] = await store.run(sql<Inspection>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as "majorVersion",
      current_setting('server_encoding') as encoding,
      clock_timestamp() as now,
      pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
      current_setting('synchronous_commit') <> 'off' as "waitsForCommit",
      (
        select least(
          current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
          nullif(rolconnlimit, -1))
        from pg_roles where rolname = current_user
      ) as "connectionLimit",
      (
        select to_char(max(day), 'YYYY-MM-DD') from (
          select day, every(exists (
            select from pg_class
            where relnamespace = to_regnamespace(quote_ident(current_schema()))
              and relname = 'access_record_' || to_char(day, 'YYYY_MM_DD')
          )) over (order by day) as is_there
          from generate_series(date_trunc('day', now() at time zone 'UTC'),
            date_trunc('day', now() at time zone 'UTC') + interval '14 days',
            interval '1 day') as day
        ) as days
        where is_there
      ) as "partitionsUntil"`);
  return found as Inspection;
}
