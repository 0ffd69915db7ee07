import type { PushTransaction, StoredPush } from '#core';
import { columnsOf, type Row, type StatementRunner, sql } from '../../connections/store.ts';
import { IdempotentPushEntity } from '../../entities/company-data.ts';
import { findLatestRevisions, findRevisions } from '../company-data.ts';
import { toBytes } from '../rows.ts';
import { logChange as log } from '../settings-changes.ts';
import { type Applied, addCompany, applyLines, renameCompany } from './apply.ts';
import { KeyRetired } from './apply-values.ts';
import { writeChangeEvents } from './changed-data.ts';
import { lockDataOf } from './data-versions.ts';
import { findForeign } from './foreign.ts';

const columns = columnsOf(IdempotentPushEntity, 'idempotent_push', 'companyId');

/** @returns the data version, or null if the company doesn't exist */
export async function lockDataVersion(
  inside: StatementRunner,
  companyId: string,
): Promise<string | null> {
  const lock = sql<{ version: string }>`
    select version::text as version from company_data_version
    where company_id = ${companyId} for update`;
  const [locked] = await inside.run(lock);
  if (locked !== undefined) return locked.version;
  await lockDataOf(inside, sql`${companyId}`);
  const [added] = await inside.run(lock);
  return added?.version ?? null;
}

interface LockedCompany {
  readonly companyId: string;
  readonly version: string | null;
}

/** @param inside a transaction that has locked the data. A company's push sees only that company's rows */
export function createPush(
  inside: StatementRunner,
  { companyId, version: lockedVersion }: LockedCompany,
  startedAt: Date,
): PushTransaction {
  /** The company's current data version. Null while the version isn't known. */
  let version = lockedVersion;

  return {
    findLatestRevisions: (metricPeriods) => findLatestRevisions(inside, metricPeriods),

    findRevisions: (metricPeriods) => findRevisions(inside, companyId, metricPeriods),

    findForeign: (lines, boundTo) => findForeign(inside, companyId, lines, boundTo),

    log: (entry) => log(inside, entry),

    async apply(lines, { signing, createEvents = () => [], entryId = null } = {}) {
      try {
        const applied =
          lockedVersion === null ? [...(await addCompany(inside, lines, startedAt))] : [];
        // Every push locks the data first and the company second, so two pushes can't deadlock.
        if (lockedVersion === null) await lockDataVersion(inside, companyId);
        if (applied.length === 0) applied.push(...(await renameCompany(inside, lines)));
        const context = { companyId, startedAt, signing, entryId };
        applied.push(...(await applyLines(inside, lines, context)));
        const versions = await writeChangeEvents(inside, applied, createEvents);
        if (versions.size > 0) version = versions.get(companyId) ?? null;
        return sumOf(applied);
      } catch (error) {
        if (error instanceof KeyRetired) return null;
        throw error;
      }
    },

    async readVersion() {
      if (version === null) {
        const [row] = await inside.run(sql<{ version: string }>`
          select version::text as version from company_data_version
          where company_id = ${companyId}`);
        version = row?.version ?? '0';
      }
      return version;
    },

    async findStoredPush(key, now) {
      const [row] = await inside.run(sql<Row<'idempotent_push'>>`
        select ${columns} from idempotent_push
        where company_id = ${companyId} and key = ${key} and expires_at > ${now}`);
      return row === undefined ? null : toStoredPush(row);
    },

    async storePush({ key, fingerprint, pushedAt, expiresAt, result }) {
      const { created, revised, unchanged, dataVersion } = result;
      // If an expired push had the same idempotency key, its result is overwritten.
      await inside.run(sql`
        insert into idempotent_push (company_id, key, ${sql.raw(pushColumns)})
        values (${companyId}, ${key}, ${toBytes(fingerprint)}, ${pushedAt}, ${expiresAt},
          ${created}, ${revised}, ${unchanged}, ${dataVersion})
        on conflict (company_id, key) do update set (${sql.raw(pushColumns)}) = (
          ${sql.raw(pushColumns.replaceAll(/\w+/g, 'excluded.$&'))})`);
    },
  };
}

const pushColumns = 'fingerprint, pushed_at, expires_at, created, revised, unchanged, data_version';

function sumOf(applied: readonly Applied[]) {
  const sum = (of: 'inserted' | 'updated' | 'unchanged' | 'signed' | 'unsigned') =>
    applied.reduce((total, counted) => total + (counted[of] ?? 0), 0);
  return {
    inserted: sum('inserted'),
    updated: sum('updated'),
    unchanged: sum('unchanged'),
    signed: sum('signed'),
    unsigned: sum('unsigned'),
  };
}

function toStoredPush(row: Row<'idempotent_push'>): StoredPush {
  const { key, pushedAt, expiresAt, created, revised, unchanged, dataVersion } = row;
  const fingerprint = Buffer.from(row.fingerprint).toString('hex');
  return {
    key,
    fingerprint,
    pushedAt,
    expiresAt,
    result: { created, revised, unchanged, dataVersion },
  };
}
