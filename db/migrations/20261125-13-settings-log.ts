import { settingsActorTypes } from '#core';
import { appendOnly, firstRelease, oneOf } from './schema-migration.ts';

const table = `
  create table settings_change (
    id text collate "C" primary key,
    type text not null,
    created_at timestamptz(3) not null,
    company_id text collate "C" constraint settings_change_company references company (id),
    investor_id text collate "C" constraint settings_change_investor references investor (id),
    actor jsonb not null constraint settings_change_actor_known check (
      actor->>'type' in ${oneOf(settingsActorTypes)}),
    subject jsonb not null
      constraint settings_change_subject_is_named check (subject ?& array['type', 'id', 'name']),
    changes jsonb not null,
    constraint settings_change_is_of_somebody
      check ((num_nonnulls(company_id, investor_id) = 0) = (type = 'access_log.dropped'))
  );
  create index settings_change_of_company on settings_change (company_id, created_at, id);
  create index settings_change_of_investor on settings_change (investor_id, created_at, id);
  create index settings_change_by_time on settings_change (created_at, id);`;

export const settingsLog = firstRelease(
  '20261125-13-settings-log',
  table,
  appendOnly('settings_change', 'update', 'delete', 'truncate'),
);
