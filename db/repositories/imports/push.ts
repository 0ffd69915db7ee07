import type { ImportCounts, ImportLine, ImportRecord, KeptPush, PushTransaction } from '#core';
import { IdempotentPushEntity } from '../../entities/company-data.ts';
import { columnsOf, type Row, type StatementRunner, sql } from '../../store.ts';
import { toBytes } from '../rows.ts';
import { applyStaged, lockDataOf } from './apply.ts';
import { SignaturesOutdated } from './apply-metrics.ts';
import { tellOfChanges } from './changed-data.ts';
import { oneOfEachMetric, partsOf, partsToCheck } from './parts.ts';
import { findProblems } from './problems.ts';
import { linesInStatement } from './staged.ts';

const columns = columnsOf(IdempotentPushEntity, 'idempotent_push', 'companyId');

/**
 * Locks the data of a company, as an import does that of its companies.
 *
 * @returns the version of the data; null when there is no such company
 */
export async function lockCompany(
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

/** @param inside a transaction in the scope of the company, which is locked */
export function createPush(
  inside: StatementRunner,
  { companyId, version: lockedVersion }: LockedCompany,
  startedAt: Date,
): PushTransaction {
  const lines: ImportLine[] = [];
  /** Null when it has changed and nobody has looked at it. */
  let version = lockedVersion;

  /** Else nothing that is stored says a word against it: it is of the company that is locked, and has no place to take. */
  const isUnsure = ({ record }: ImportLine) =>
    record.type === 'revision' || companyIdOf(record) !== companyId;

  return {
    async stage(batch) {
      lines.push(...batch);
    },

    async *findProblems(boundTo = null) {
      const isKnown = lockedVersion !== null;
      const unsure = isKnown && boundTo === null ? lines.filter(isUnsure) : lines;
      for (const part of partsToCheck(unsure)) {
        yield* findProblems(inside, linesInStatement(part), boundTo);
      }
    },

    async apply(signing, tell = () => []) {
      try {
        const applied = [];
        for (const part of partsOf(lines)) {
          const naming = linesInStatement(oneOfEachMetric(part));
          const staged = { ...linesInStatement(part), naming };
          applied.push(await applyStaged(inside, staged, startedAt, signing, 0));
        }
        const changes = applied.flatMap((part) => part.changes);
        const counts = applied.map((part) => part.counts).reduce(sumOf);
        if (counts.inserted + counts.updated > 0) {
          const versions = await tellOfChanges(inside, changes, tell);
          version = versions.get(companyId) ?? null;
        }
        return counts;
      } catch (error) {
        if (error instanceof SignaturesOutdated) return null;
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

    async findKept(key, now) {
      const [row] = await inside.run(sql<Row<'idempotent_push'>>`
        select ${columns} from idempotent_push
        where company_id = ${companyId} and key = ${key} and expires_at > ${now}`);
      return row === undefined ? null : toKept(row);
    },

    async keep({ key, fingerprint, pushedAt, expiresAt, result }) {
      const { created, revised, unchanged, dataVersion } = result;
      // What is there under the key already is forgotten.
      await inside.run(sql`
        insert into idempotent_push (company_id, key, ${sql.raw(keptColumns)})
        values (${companyId}, ${key}, ${toBytes(fingerprint)}, ${pushedAt}, ${expiresAt},
          ${created}, ${revised}, ${unchanged}, ${dataVersion})
        on conflict (company_id, key) do update set (${sql.raw(keptColumns)}) = (
          ${sql.raw(keptColumns.replaceAll(/\w+/g, 'excluded.$&'))})`);
    },
  };
}

function companyIdOf(record: ImportRecord): string | null {
  switch (record.type) {
    case 'metric':
      return record.metric.companyId;
    case 'source':
      return record.source.companyId;
    case 'account':
      return record.account.companyId;
    default:
      return null;
  }
}

const keptColumns = 'fingerprint, pushed_at, expires_at, created, revised, unchanged, data_version';

const sumOf = (one: ImportCounts, other: ImportCounts): ImportCounts => ({
  inserted: one.inserted + other.inserted,
  updated: one.updated + other.updated,
  unchanged: one.unchanged + other.unchanged,
  signed: one.signed + other.signed,
  unsigned: one.unsigned + other.unsigned,
});

function toKept(row: Row<'idempotent_push'>): KeptPush {
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
