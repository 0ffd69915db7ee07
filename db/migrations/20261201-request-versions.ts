import { Migration } from '@mikro-orm/migrations';

/** What a company decides on, of a row. */
const decidedOn = (row: string) =>
  [
    'status',
    'requested_scopes',
    'approved_scopes',
    'pending_scopes',
    'expires_at',
    'purpose',
    'pending_purpose',
  ]
    .map((column) => `${row}.${column}`)
    .join(', ');

/** The state after each event: a version of its own, but after a notice; and how often the investor has amended so far. */
const states = `
  select number, access_request_id,
    'ver_' || substr(first_value(id) over (
      partition by access_request_id, changes order by number
    ), 5) as version,
    count(*) filter (where type = 'access_request.amended') over so_far as amendments
  from (
    select number, access_request_id, id, type,
      count(*) filter (where type <> 'access_request.expiring') over (
        partition by access_request_id order by number
      ) as changes
    from access_event
  ) as event
  window so_far as (partition by access_request_id order by number)`;

/** A request names the version that a company has read when it decides, and counts how often the investor has amended it. */
export class RequestVersions extends Migration {
  override up(): void {
    this.addSql(`
      alter table access_request add version text, add amendments integer not null default 0`);
    // From here on no event is written by another transaction, until this one ends.
    this.addSql(`lock table access_event in share row exclusive mode`);
    // An event is never changed, but by this; no receipt tells what is added.
    this.addSql(`alter table access_event disable trigger access_event_is_final`);
    this.addSql(`
      update access_event set access_request = access_request
          || jsonb_build_object('version', state.version, 'amendments', state.amendments)
        from (${states}) as state where state.number = access_event.number`);
    this.addSql(`alter table access_event enable always trigger access_event_is_final`);
    this.addSql(`
      update access_request set version = state.version, amendments = state.amendments
        from (
          select distinct on (access_request_id) * from (${states}) as state
          order by access_request_id, number desc
        ) as state
        where state.access_request_id = access_request.id`);
    this.addSql(
      `update access_request set version = 'ver_' || substr(id, 4) where version is null`,
    );
    this.addSql(`alter table access_request alter version set not null`);
    this.#neverThatOfAnotherState();
  }

  /** Whoever writes: what has changed under its version could be approved unread. */
  #neverThatOfAnotherState(): void {
    this.addSql(`
      create function renew_request_version() returns trigger language plpgsql as $$
        begin
          new.version := 'ver_' || replace(gen_random_uuid()::text, '-', '');
          if tg_op = 'UPDATE' and new.last_event_type = 'access_request.amended' then
            new.amendments := new.amendments + 1;
          end if;
          return new;
        end
      $$`);
    this.addSql(`
      create trigger access_request_has_version before insert on access_request
        for each row when (new.version is null) execute function renew_request_version()`);
    this.addSql(`
      create trigger access_request_renews_version before update on access_request
        for each row when (
          new.version = old.version and (${decidedOn('new')}) is distinct from (${decidedOn('old')}))
        execute function renew_request_version()`);
  }

  override down(): void {
    this.addSql(`drop trigger access_request_renews_version on access_request`);
    this.addSql(`drop trigger access_request_has_version on access_request`);
    this.addSql(`drop function renew_request_version()`);
    this.addSql(`alter table access_request drop version, drop amendments`);
    this.addSql(`alter table access_event disable trigger access_event_is_final`);
    this.addSql(`
      update access_event set access_request = access_request - 'version' - 'amendments'`);
    this.addSql(`alter table access_event enable always trigger access_event_is_final`);
  }
}
