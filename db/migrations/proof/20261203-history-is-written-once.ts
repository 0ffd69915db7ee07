import { Migration } from '@mikro-orm/migrations';

const tolerance = `interval '5 minutes'`;

/** The columns of a request that its events tell, each as it stands in the JSON of one. */
const told: readonly (readonly [column: string, inEvent: string])[] = [
  ['id', `told->>'id'`],
  ['investor_id', `told->>'investorId'`],
  ['company_id', `told->>'companyId'`],
  ['requested_scopes', scopesIn('requestedScopes')],
  ['approved_scopes', scopesIn('approvedScopes')],
  ['previous_scopes', scopesIn('previousScopes')],
  ['pending_scopes', scopesIn('pendingScopes')],
  ['status', `told->>'status'`],
  ['version', `told->>'version'`],
  ['amendments', `(told->>'amendments')::integer`],
  ['purpose', `told->>'purpose'`],
  ['pending_purpose', `told->>'pendingPurpose'`],
  ['addition_declined', `(told->>'additionDeclined')::boolean`],
  ['reason', `told->>'reason'`],
  ['created_at', `(told->>'createdAt')::timestamptz`],
  ['decided_at', `(told->>'decidedAt')::timestamptz`],
  ['expires_at', `(told->>'expiresAt')::timestamptz`],
  ['deadline_at', `(told->>'deadlineAt')::timestamptz`],
  ['expiring_at', `(told->>'expiringAt')::timestamptz`],
  ['last_event_type', `told->>'lastEventType'`],
];

function scopesIn(name: string): string {
  return `array(select jsonb_array_elements_text(told->'${name}'))`;
}

/**
 * The service's own role adds to what has happened, and cannot make up another history: an event bears the time at which
 * it is written and tells its request as it stands; a request stands at commit as its last event tells it; its receipts
 * follow one another; the feed has no gap. Whoever owns the tables could take the triggers away, so they don't bind it:
 * it may restore, and write sample data of former times.
 */
export class HistoryIsWrittenOnce extends Migration {
  override up(): void {
    this.#define(
      'may_write_history(relation oid)',
      'boolean language sql stable',
      `select pg_has_role(current_user, relowner, 'usage') from pg_class where oid = relation`,
    );
    this.#define(
      'is_as_told(request access_request, told jsonb)',
      'boolean language sql stable',
      `select (${told.map(([column]) => `request.${column}`).join(', ')})
        is not distinct from (${told.map(([, inEvent]) => inEvent).join(', ')})`,
    );
    // Null where the session has drawn none. As the owner: nobody else may look at the sequence.
    this.#define(
      'drawn_event_number()',
      'bigint language plpgsql security definer',
      `begin
        return currval(pg_get_serial_sequence('access_event', 'number'));
      exception when object_not_in_prerequisite_state then
        return null;
      end`,
    );
    this.#events();
    this.#requests();
    this.#feed();
  }

  #events(): void {
    this.#defineTrigger(
      'check_new_access_event',
      `declare
        before jsonb;
      begin
      if may_write_history(tg_relid) then
        return new;
      end if;
      if new.position is not null then
        raise insufficient_privilege using message = 'an event gets its place in the feed later';
      end if;
      if new.number is distinct from drawn_event_number() then
        raise insufficient_privilege using message = 'an event has the number that it was given';
      end if;
      -- By the index of the request, however new its last event is among all.
      select access_request into before from (
          select access_request, number from access_event
          where access_request_id = new.access_request_id offset 0
        ) as event order by number desc limit 1;
      if before->>'status' in ('declined', 'expired', 'revoked') then
        raise integrity_constraint_violation
          using message = 'nothing happens to an access request that has ended';
      end if;
      if before->>'createdAt' is distinct from new.access_request->>'createdAt' and (
        before is not null or (new.access_request->>'createdAt')::timestamptz not between
          clock_timestamp() - ${tolerance} and clock_timestamp() + ${tolerance})
      then
        raise insufficient_privilege using message = 'an access request was made when it was made';
      end if;
      if new.access_request->>'decidedAt' is distinct from before->>'decidedAt'
        and (new.access_request->>'decidedAt')::timestamptz not between
          clock_timestamp() - ${tolerance} and clock_timestamp() + ${tolerance}
      then
        raise insufficient_privilege
          using message = 'a decision bears the time at which it is written';
      end if;
      if new.created_at not between clock_timestamp() - ${tolerance}
        and clock_timestamp() + ${tolerance}
      then
        raise insufficient_privilege using
          message = 'an event bears the time at which it is written: ' || new.created_at
            || ' is not the time of the database';
      end if;
      return new;
      end`,
    );
    this.addSql(`
      create trigger access_event_is_new before insert on access_event
        for each row execute function check_new_access_event()`);
    this.#defineTrigger(
      'check_told_access_request',
      `if may_write_history(tg_relid) then
        return null;
      end if;
      if not exists (
        select from access_request as request
        where request.id = new.access_request_id and request.investor_id = new.investor_id
          and request.company_id = new.company_id and request.last_event_type = new.type
          and is_as_told(request, new.access_request)
      ) then
        raise integrity_constraint_violation
          using message = 'an event tells its access request as it stands';
      end if;
      return null;`,
    );
    this.addSql(`
      create trigger access_event_is_true after insert on access_event
        for each row execute function check_told_access_request()`);
    // What is signed is the instant of the receipt.
    this.#defineTrigger(
      'check_new_consent_receipt',
      `if may_write_history(tg_relid) then
        return null;
      end if;
      if not exists (
        select from access_event as event
        where event.id = new.event_id and event.created_at = new.issued_at
          and event.access_request_id = new.access_request_id
      ) then
        raise integrity_constraint_violation
          using message = 'a receipt bears the time and the request of its event';
      end if;
      return null;`,
    );
    this.addSql(`
      create trigger consent_receipt_is_of_its_event after insert on consent_receipt
        for each row execute function check_new_consent_receipt()`);
  }

  #requests(): void {
    this.#defineTrigger(
      'check_state_of_access_request',
      `if may_write_history(tg_relid) then
        return null;
      end if;
      if not exists (
        select from access_request as request
          join consent_receipt as receipt on receipt.id = request.last_receipt_id
          join access_event as event on event.id = receipt.event_id
        where request.id = new.id and is_as_told(request, event.access_request)
      ) then
        raise integrity_constraint_violation
          using message = 'an access request changes with its event and receipt';
      end if;
      return null;`,
    );
    this.addSql(`
      create constraint trigger access_request_is_told
        after insert on access_request deferrable initially deferred
        for each row execute function check_state_of_access_request()`);
    this.addSql(`
      create constraint trigger access_request_change_is_told
        after update on access_request deferrable initially deferred
        for each row when (old.* is distinct from new.*)
        execute function check_state_of_access_request()`);
    this.#defineTrigger(
      'check_last_consent_receipt',
      `if may_write_history(tg_relid) then
        return new;
      end if;
      if tg_op = 'INSERT' or not exists (
        select from consent_receipt as receipt
        where receipt.id = new.last_receipt_id and receipt.access_request_id = new.id
          and receipt.previous_id is not distinct from old.last_receipt_id
      ) then
        raise integrity_constraint_violation
          using message = 'the last receipt of an access request is the one that follows the one before';
      end if;
      return new;`,
    );
    this.addSql(`
      create trigger access_request_begins_without_receipt after insert on access_request
        for each row when (new.last_receipt_id is not null)
        execute function check_last_consent_receipt()`);
    this.addSql(`
      create trigger access_request_goes_on_to_next_receipt before update on access_request
        for each row when (old.last_receipt_id is distinct from new.last_receipt_id)
        execute function check_last_consent_receipt()`);
  }

  /** Only the trigger moves the feed on, by as many as have been numbered behind its end. */
  #feed(): void {
    this.#defineTrigger(
      'check_positions_of_access_events',
      `declare
        base bigint;
        numbered record;
      begin
        select count(*), min(after_update.position), max(after_update.position),
            bool_and(before_update.position is null and after_update.position is not null) as are_new
          into numbered
          from before_update join after_update using (number)
          where before_update.position is distinct from after_update.position;
        if numbered.count = 0 then
          return null;
        end if;
        select last_position into base from access_event_feed for update;
        if not numbered.are_new or numbered.min <> base + 1 or numbered.max <> base + numbered.count
        then
          raise integrity_constraint_violation
            using message = 'an event that has no place in the feed gets the next one';
        end if;
        update access_event_feed set last_position = numbered.max;
        return null;
      end`,
      'security definer',
    );
    this.addSql(`
      create trigger access_event_gets_next_position after update on access_event
        referencing old table as before_update new table as after_update
        for each statement execute function check_positions_of_access_events()`);
    this.#defineNumbering(false);
    this.#defineTrigger(
      'check_position_of_event_consumer',
      `if not may_write_history(tg_relid) and (new.name <> old.name or new.position < old.position
        or new.position > (select last_position from access_event_feed))
      then
        raise integrity_constraint_violation
          using message = 'who reads the feed goes on to what is in it';
      end if;
      return new;`,
    );
    this.addSql(`
      create trigger event_consumer_goes_on before update on event_consumer
        for each row execute function check_position_of_event_consumer()`);
  }

  #defineNumbering(movesFeed: boolean): void {
    this.addSql(`
      create or replace function number_access_events() returns bigint language plpgsql as $$
        declare
          base bigint;
          numbered bigint;
        begin
          if not exists (select from access_event where position is null) then
            return (select last_position from access_event_feed);
          end if;
          -- One at a time: whoever waited here sees, with the next statement, what was numbered meanwhile.
          select last_position into base from access_event_feed for update;
          with waiting as (
            select number, row_number() over (order by number) as place
            from (select number from access_event where position is null
              order by number limit 10000) as oldest
          ), changed as (
            update access_event set position = base + waiting.place
            from waiting where access_event.number = waiting.number
            returning 1
          )
          select count(*) into numbered from changed;
          ${movesFeed ? 'update access_event_feed set last_position = base + numbered;' : ''}
          return base + numbered;
        end
      $$`);
  }

  #defineTrigger(name: string, body: string, rights = ''): void {
    const block = body.startsWith('declare') ? body : `begin ${body} end`;
    this.#define(`${name}()`, `trigger language plpgsql ${rights}`, block);
  }

  /** With a fixed search path: no temporary table of a caller stands in for one of these. */
  #define(signature: string, kind: string, body: string): void {
    this.addSql(`
      do $do$ begin
        execute format('
          create function ${signature} returns ${kind} set search_path = %I, pg_temp as $$
            ${body.replaceAll("'", "''").replaceAll('%', '%%')}
          $$', current_schema());
      end $do$`);
  }

  override down(): void {
    this.addSql(`drop trigger event_consumer_goes_on on event_consumer`);
    this.addSql(`drop trigger access_event_gets_next_position on access_event`);
    this.#defineNumbering(true);
    for (const [table, triggers] of Object.entries({
      access_request: [
        'access_request_is_told',
        'access_request_change_is_told',
        'access_request_begins_without_receipt',
        'access_request_goes_on_to_next_receipt',
      ],
      access_event: ['access_event_is_new', 'access_event_is_true'],
      consent_receipt: ['consent_receipt_is_of_its_event'],
    })) {
      for (const trigger of triggers) this.addSql(`drop trigger ${trigger} on ${table}`);
    }
    this.addSql(`
      drop function check_new_access_event(), check_told_access_request(),
        check_new_consent_receipt(), check_state_of_access_request(), check_last_consent_receipt(),
        check_positions_of_access_events(), check_position_of_event_consumer(),
        is_as_told(access_request, jsonb), may_write_history(oid), drawn_event_number()`);
  }
}
