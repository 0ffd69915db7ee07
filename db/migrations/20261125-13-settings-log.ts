import { fireAlways, firstRelease, refusal } from './schema-migration.ts';

const warned = [
  'contact.added',
  'contact.removed',
  'contact.role_changed',
  'api_key.created',
  'api_key.rotated',
  'company_key.created',
  'company_key.rotated',
  'webhook_endpoint.created',
];

const table = `
  create table settings_change (
    id text primary key,
    type text not null,
    created_at timestamptz(3) not null,
    company_id text constraint settings_change_company references company (id),
    investor_id text constraint settings_change_investor references investor (id),
    actor jsonb not null constraint settings_change_actor_known check (
      actor->>'type' in ('operator', 'company_key', 'api_key', 'contact', 'service')),
    subject jsonb not null
      constraint settings_change_subject_is_named check (subject ?& array['type', 'id', 'name']),
    changes jsonb not null,
    constraint settings_change_is_of_somebody check (num_nonnulls(company_id, investor_id) > 0)
  );
  create index settings_change_of_company on settings_change (company_id, created_at, id);
  create index settings_change_of_investor on settings_change (investor_id, created_at, id);
  create index settings_change_by_time on settings_change (created_at, id);`;

const kept = `
  ${refusal('refuse_change_of_settings_log', 'the log of settings is never changed')}
  create trigger settings_change_stays before update or delete on settings_change
    for each row execute function refuse_change_of_settings_log();
  create trigger settings_change_is_kept before truncate on settings_change
    for each statement execute function refuse_change_of_settings_log();
  ${fireAlways('settings_change', 'settings_change_stays', 'settings_change_is_kept')}`;

/**
 * Whoever is bound by it cannot change a setting and leave no entry: the commit fails. That it is the entry of this
 * transaction shows in its xmin. Not for what is used and not set, as when a key was used last.
 */
const told = (setting: string, columns: string, owner: string) => {
  const changed = columns
    .split(', ')
    .map((column) => `old.${column} is distinct from new.${column}`);
  return `
  create constraint trigger ${setting}_change_is_told
    after insert or delete on ${setting} deferrable initially deferred
    for each row execute function check_settings_are_told(${owner});
  create constraint trigger ${setting}_update_is_told
    after update on ${setting} deferrable initially deferred
    for each row when (${changed.join(' or ')}) execute function check_settings_are_told(${owner});`;
};

/**
 * Whoever breaks in adds a person, a key or a webhook first. Those who manage the settings are told, also the person who was
 * removed or has another role now, and may have been one of them: by address, because a mail to a contact goes with the contact.
 */
const warnings = `
  create function warn_of_settings_change() returns trigger
    language plpgsql security definer set search_path from current as $$
    begin
      insert into mail (id, event_id, company_id, investor_id, contact_id, email, kind, state,
          attempts, next_attempt_at, created_at, settings_change_id)
        select 'ml_' || replace(gen_random_uuid()::text, '-', ''), null, new.company_id,
          new.investor_id, null, told.email, 'settings_changed', 'waiting', 0, new.created_at,
          new.created_at, new.id
        from (
          select email from contact
            where (company_id = new.company_id or investor_id = new.investor_id)
              and role = 'admin' and id <> new.subject->>'id'
          union
          select new.subject->>'name' 
            where new.type in ('contact.removed', 'contact.role_changed')
        ) as told;
      return null;
    end
  $$;
  create trigger settings_change_warns after insert on settings_change
    for each row when (new.type in (${warned.map((type) => `'${type}'`).join(', ')}))
    execute function warn_of_settings_change();`;

const checks = `
  create function check_settings_are_told() returns trigger
    language plpgsql set search_path from current as $$
    declare
      changed jsonb := to_jsonb(coalesce(new, old));
    begin
      if not may_write_history(tg_relid) and not exists (
        select from settings_change as told
        where told.xmin = pg_current_xact_id()::xid and (
          told.company_id = changed->>tg_argv[0] or told.investor_id = changed->>tg_argv[1])
      ) then
        raise integrity_constraint_violation
          using message = 'a setting is changed with its entry in the log';
      end if;
      return null;
    end
  $$;
  ${told('contact', 'email, role', `'company_id', 'investor_id'`)}
  ${told('company_key', 'name, expires_at, revoked_at, replaced_by', `'company_id', ''`)}
  ${told('api_key', 'name, scopes, rate_limit, expires_at, revoked_at, replaced_by', `'', 'investor_id'`)}
  ${told('webhook_endpoint', 'url, types, secret, disabled_at, removed_at', `'company_id', 'investor_id'`)}
  ${told('company', 'name, suspended_at', `'id', ''`)}
  ${told('investor', 'name, suspended_at', `'', 'id'`)}`;

/** Every change of people, keys, webhooks, names and portfolios, by whom, and what was there before. */
export const settingsLog = firstRelease('20261125-13-settings-log', table, kept, warnings, checks);
