import type { RawBuilder } from 'kysely';
import type { SettingsChange, SettingsChanges } from '#core';
import { SettingsChangeEntity } from '../entities/settings.ts';
import { rowScopeOf } from '../row-scope.ts';
import { columnsOf, type Store, type Stores, sql } from '../store.ts';

const columns = columnsOf(SettingsChangeEntity, 'settings_change');

export function createSettingsChanges({ scopes, requests }: Stores): SettingsChanges {
  return {
    async list({ owner, before, limit }) {
      const store = owner === null ? requests : scopes.requests.scoped(rowScopeOf(owner));
      const isOfOwner =
        owner === null
          ? sql`true`
          : 'companyId' in owner
            ? sql`company_id = ${owner.companyId}`
            : sql`investor_id = ${owner.investorId}`;
      const isBefore =
        before === null
          ? sql`true`
          : sql`(created_at, id) < (${before.instant}::timestamptz, ${before.id})`;
      return store.run(sql<SettingsChange>`
        select ${columns} from settings_change where ${isOfOwner} and ${isBefore}
        order by created_at desc, id desc limit ${limit}`);
    },
  };
}

/**
 * Writes an entry of the log in the transaction of its change, unless the work answers that it has changed nothing. This is
 * how every setting is changed.
 */
export function told<T>(
  store: Store,
  change: SettingsChange | undefined,
  work: (inside: Store) => Promise<T>,
): Promise<T> {
  if (change === undefined) return work(store);
  return store.transact(async (inside) => {
    const result = await work(inside);
    if (result !== false) await tell(inside, change);
    return result;
  });
}

export const tell = (inside: Store, change: SettingsChange): Promise<void> =>
  inside.insert(SettingsChangeEntity, { ...change });

/** For statements that write many entries of what an operator has changed of companies. */
export const loggedColumns = sql.raw(
  'id, type, created_at, company_id, investor_id, actor, subject, changes',
);
export const newChangeId = sql`'chg_' || replace(gen_random_uuid()::text, '-', '')`;
export const byOperator = sql`'{"type": "operator", "id": null, "name": null}'::jsonb`;
export const subjectOf = (id: RawBuilder<unknown>, name: RawBuilder<unknown>) =>
  sql`jsonb_build_object('type', 'company', 'id', ${id}, 'name', ${name})`;
