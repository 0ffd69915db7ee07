import type { RawBuilder } from 'kysely';
import { type SettingsChange, type SettingsChanges, subjectWarnedTypes, warnedTypes } from '#core';
import {
  columnsOf,
  type StatementRunner,
  type Store,
  type Stores,
  sql,
} from '../connections/store.ts';
import { SettingsChangeEntity } from '../entities/settings.ts';
import { isOf, storeOf } from './rows.ts';

const columns = columnsOf(SettingsChangeEntity, 'settings_change');

export function createSettingsChanges(stores: Stores): SettingsChanges {
  return {
    async list({ owner, before, limit }) {
      const isBefore =
        before === null
          ? sql`true`
          : sql`(created_at, id) < (${before.instant}::timestamptz, ${before.id})`;
      return storeOf(stores, owner).run(sql<SettingsChange>`
        select ${columns} from settings_change where ${isOf(owner)} and ${isBefore}
        order by created_at desc, id desc limit ${limit}`);
    },
  };
}

/**
 * Runs a change to a setting, and writes the settings log entry in the same transaction. Every change to a setting uses
 * this function. If nothing changed, the work returns false and no entry is written.
 */
export function withLogEntry<T>(
  store: Store,
  change: SettingsChange,
  work: (inside: Store) => Promise<T>,
): Promise<T> {
  return store.transact(async (inside) => {
    const result = await work(inside);
    if (result !== false) await logChange(inside, change);
    return result;
  });
}

/** Updates one row and writes the settings log entry. Returns true if the row exists. */
export const updateWithLogEntry = <Entity extends object>(
  store: Store,
  change: SettingsChange,
  ...update: Parameters<typeof Store.prototype.update<Entity>>
): Promise<boolean> =>
  withLogEntry(store, change, async (inside) => (await inside.update(...update)) === 1);

/** Writes a settings log entry and its mails in one SQL statement. A push's transaction can run only SQL statements. */
export async function logChange(inside: StatementRunner, change: SettingsChange): Promise<void> {
  const { id, type, createdAt, companyId, investorId, actor, subject, changes } = change;
  const entry = sql`
    insert into settings_change (${loggedColumns})
    values (${id}, ${type}, ${createdAt}::timestamptz, ${companyId}, ${investorId},
      ${JSON.stringify(actor)}::jsonb, ${JSON.stringify(subject)}::jsonb,
      ${JSON.stringify(changes)}::jsonb)`;
  await inside.run(
    warnedTypes.includes(type) ? sql`with entry as (${entry}) ${mailsAbout(change)}` : entry,
  );
}

/** Stores the address instead of a contact ID, because the mail is sent even after the contact was removed. */
function mailsAbout({ id, type, createdAt, companyId, investorId, subject }: SettingsChange) {
  const alsoToSubject = subjectWarnedTypes.includes(type)
    ? sql`union select ${subject.name}::text`
    : sql``;
  return sql`
    insert into mail (id, company_id, investor_id, email, kind, state, attempts, next_attempt_at,
        created_at, settings_change_id)
      select 'ml_' || replace(gen_random_uuid()::text, '-', ''), ${companyId}::text,
        ${investorId}::text, email, 'settings_changed', 'waiting', 0, ${createdAt}::timestamptz,
        ${createdAt}::timestamptz, ${id}::text
      from (
        select email from contact
        where (company_id = ${companyId} or investor_id = ${investorId})
          and role = 'admin' and id <> ${subject.id}
        ${alsoToSubject}
      ) as recipient`;
}

/** The columns for statements that log many changes by an operator. */
export const loggedColumns = sql.raw(
  'id, type, created_at, company_id, investor_id, actor, subject, changes',
);
export const newChangeId = sql`'chg_' || replace(gen_random_uuid()::text, '-', '')`;
export const byOperator = sql`'{"type": "operator", "id": null, "name": null}'::jsonb`;
export const subjectOf = (id: RawBuilder<unknown>, name: RawBuilder<unknown>) =>
  sql`jsonb_build_object('type', 'company', 'id', ${id}, 'name', ${name})`;

export async function findChanges(
  reader: Store,
  ids: readonly string[],
): Promise<Map<string, SettingsChange>> {
  if (ids.length === 0) return new Map();
  const found = await reader.run(sql<SettingsChange>`
    select ${columns} from settings_change where id = any(${[...new Set(ids)]}::text[])`);
  return new Map(found.map((change) => [change.id, change]));
}
