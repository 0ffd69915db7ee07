import { firstRelease } from './schema-migration.ts';

/** The columns of a request that its events tell, each as it stands in the JSON of one. */
const told: Readonly<Record<string, string>> = {
  id: `told->>'id'`,
  investor_id: `told->>'investorId'`,
  company_id: `told->>'companyId'`,
  requested_scopes: scopesIn('requestedScopes'),
  approved_scopes: scopesIn('approvedScopes'),
  previous_scopes: scopesIn('previousScopes'),
  pending_scopes: scopesIn('pendingScopes'),
  status: `told->>'status'`,
  version: `told->>'version'`,
  amendments: `(told->>'amendments')::integer`,
  purpose: `told->>'purpose'`,
  pending_purpose: `told->>'pendingPurpose'`,
  addition_declined: `(told->>'additionDeclined')::boolean`,
  reason: `told->>'reason'`,
  created_at: `(told->>'createdAt')::timestamptz`,
  decided_at: `(told->>'decidedAt')::timestamptz`,
  expires_at: `(told->>'expiresAt')::timestamptz`,
  deadline_at: `(told->>'deadlineAt')::timestamptz`,
  expiring_at: `(told->>'expiringAt')::timestamptz`,
  last_event_type: `told->>'lastEventType'`,
};

function scopesIn(name: string): string {
  return `array(select jsonb_array_elements_text(told->'${name}'))`;
}

const isNow = (instant: string) => `(${instant} between
  clock_timestamp() - interval '5 minutes' and clock_timestamp() + interval '5 minutes')`;

const functions = `
  create function may_write_history(relation oid) returns boolean
    language sql stable set search_path from current as $$
    select pg_has_role(current_user, relowner, 'usage') from pg_class where oid = relation
  $$;
  create function is_as_told(request access_request, told jsonb) returns boolean
    language sql stable set search_path from current as $$
    select (${Object.keys(told).map((column) => `request.${column}`)})
      is not distinct from (${Object.values(told)})
  $$;
  -- Null where the session has drawn none. As the owner: nobody else may look at the sequence.
  create function drawn_event_number() returns bigint
    language plpgsql security definer set search_path from current as $$
    begin
      return currval(pg_get_serial_sequence('access_event', 'number'));
    exception when object_not_in_prerequisite_state then
      return null;
    end
  $$;`;

const newEvents = `
  create function check_new_access_event() returns trigger
    language plpgsql set search_path from current as $$
  declare
    before jsonb;
    now_told jsonb := new.access_request;
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
    -- The newest request of a pair decides, so one comes after the last also where the clock of the database was set
    -- back, as by a failover to a server that is behind.
    if before->>'createdAt' is distinct from now_told->>'createdAt' and (
      before is not null or not ${isNow(`(now_told->>'createdAt')::timestamptz`)} and not exists (
        select from access_request
        where investor_id = new.investor_id and company_id = new.company_id
          and id <> new.access_request_id
        having max(created_at) + interval '1 millisecond' = (now_told->>'createdAt')::timestamptz))
    then
      raise insufficient_privilege using message = 'an access request was made when it was made';
    end if;
    if now_told->>'decidedAt' is distinct from before->>'decidedAt'
      and not ${isNow(`(now_told->>'decidedAt')::timestamptz`)}
    then
      raise insufficient_privilege
        using message = 'a decision bears the time at which it is written';
    end if;
    if not ${isNow('new.created_at')} then
      raise insufficient_privilege using
        message = 'an event bears the time at which it is written: ' || new.created_at
          || ' is not the time of the database';
    end if;
    return new;
  end $$;
  create trigger access_event_is_new before insert on access_event
    for each row execute function check_new_access_event();`;

/** Only the trigger moves the feed on, by as many as have been numbered behind its end. */
const positions = `
  create function check_positions_of_access_events() returns trigger
    language plpgsql security definer set search_path from current as $$
  declare
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
  end $$;
  create trigger access_event_gets_next_position after update on access_event
    referencing old table as before_update new table as after_update
    for each statement execute function check_positions_of_access_events();`;

/** A function, and the triggers that call it. */
const refuse = (name: string, condition: string, message: string, ...triggers: string[]) => `
  create function ${name}() returns trigger
    language plpgsql set search_path from current as $$
    begin
      if not may_write_history(tg_relid) and (${condition}) then
        raise integrity_constraint_violation using message = '${message}';
      end if;
      return new;
    end
  $$;
  ${triggers.map((trigger) => `create ${trigger} execute function ${name}();`).join('\n')}`;

const toldEvents = refuse(
  'check_told_access_request',
  `new.access_request_id is not null and not exists (
    select from access_request as request
    where request.id = new.access_request_id and request.investor_id = new.investor_id
      and request.company_id = new.company_id and request.last_event_type = new.type
      and is_as_told(request, new.access_request))`,
  'an event tells its access request as it stands',
  'trigger access_event_is_true after insert on access_event for each row',
);

/** The last one: an event is written when the data has changed, in the same transaction. */
const toldData = refuse(
  'check_told_data',
  `new.data is not null and not exists (
    select from company_data_version as kept
    where kept.company_id = new.company_id and kept.version::text = new.data->>'dataVersion')`,
  'an event of data tells the version that the data of its company has',
  'trigger access_event_is_of_its_data after insert on access_event for each row',
);

/** What is signed is the instant of the receipt. */
const toldReceipts = refuse(
  'check_new_consent_receipt',
  `not exists (
    select from access_event as event
    where event.id = new.event_id and event.created_at = new.issued_at
      and event.access_request_id = new.access_request_id)`,
  'a receipt bears the time and the request of its event',
  'trigger consent_receipt_is_of_its_event after insert on consent_receipt for each row',
);

const statesOfRequests = refuse(
  'check_state_of_access_request',
  `not exists (
    select from access_request as request
      join consent_receipt as receipt on receipt.id = request.last_receipt_id
      join access_event as event on event.id = receipt.event_id
    where request.id = new.id and is_as_told(request, event.access_request))`,
  'an access request changes with its event and receipt',
  `constraint trigger access_request_is_told
    after insert on access_request deferrable initially deferred for each row`,
  `constraint trigger access_request_change_is_told
    after update on access_request deferrable initially deferred
    for each row when (old.* is distinct from new.*)`,
);

const lastReceipts = refuse(
  'check_last_consent_receipt',
  `tg_op = 'INSERT' or not exists (
    select from consent_receipt as receipt
    where receipt.id = new.last_receipt_id and receipt.access_request_id = new.id
      and receipt.previous_id is not distinct from old.last_receipt_id)`,
  'the last receipt of an access request is the one that follows the one before',
  `trigger access_request_begins_without_receipt after insert on access_request
    for each row when (new.last_receipt_id is not null)`,
  `trigger access_request_goes_on_to_next_receipt before update on access_request
    for each row when (old.last_receipt_id is distinct from new.last_receipt_id)`,
);

const consumers = refuse(
  'check_position_of_event_consumer',
  `new.name <> old.name or new.position < old.position
    or new.position > (select last_position from access_event_feed)`,
  'who reads the feed goes on to what is in it',
  'trigger event_consumer_goes_on before update on event_consumer for each row',
);

/**
 * The service's own role adds to what has happened, and cannot make up another history: an event bears the time at which
 * it is written and tells its request as it stands; a request stands at commit as its last event tells it; its receipts
 * follow one another; the feed has no gap. Whoever owns the tables could take the triggers away, so they don't bind it:
 * it may restore, and write sample data of former times.
 */
export const history = firstRelease(
  '20261125-08-history',
  functions,
  newEvents,
  toldEvents,
  toldData,
  toldReceipts,
  statesOfRequests,
  lastReceipts,
  positions,
  consumers,
);
