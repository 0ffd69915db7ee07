import type { RawBuilder } from 'kysely';
import type { SettingsChange, SettingsChanges } from '#core';
import { SettingsChangeEntity } from '../entities/settings.ts';
import { columnsOf, type Store, type Stores, sql } from '../store.ts';
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

/** The same for an update of one row; it answers whether there was such a row. */
export const toldUpdate = <Entity extends object>(
  store: Store,
  change: SettingsChange | undefined,
  ...update: Parameters<typeof Store.prototype.update<Entity>>
): Promise<boolean> =>
  told(store, change, async (inside) => (await inside.update(...update)) === 1);

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

/** By their ids. */
export async function findChanges(
  reader: Store,
  ids: readonly string[],
): Promise<Map<string, SettingsChange>> {
  if (ids.length === 0) return new Map();
  const found = await reader.run(sql<SettingsChange>`
    select ${columns} from settings_change where id = any(${[...new Set(ids)]}::text[])`);
  return new Map(found.map((change) => [change.id, change]));
}
