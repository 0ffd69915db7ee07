import type { ImportCounts, ImportLine, KeptPush, PushTransaction } from '#core';
import { IdempotentPushEntity } from '../../entities/company-data.ts';
import { columnsOf, type Row, type Store, sql } from '../../store.ts';
import { toBytes } from '../rows.ts';
import { applyStaged } from './apply.ts';
import { SignaturesOutdated } from './apply-metrics.ts';
import { tellOfChanges } from './changed-data.ts';
import { partsOf, partsToCheck } from './parts.ts';
import { findProblems } from './problems.ts';
import { linesInStatement } from './staged.ts';

const columns = columnsOf(IdempotentPushEntity, 'idempotent_push', 'companyId');

/** @param inside a transaction in the scope of the company, which is locked */
export function createPush(inside: Store, companyId: string, startedAt: Date): PushTransaction {
  const lines: ImportLine[] = [];
  return {
    async stage(batch) {
      lines.push(...batch);
    },

    async *findProblems(boundTo = null) {
      for (const part of partsToCheck(lines)) {
        yield* findProblems(inside, linesInStatement(part), boundTo);
      }
    },

    async apply(signing, tell = () => []) {
      try {
        const applied = [];
        for (const part of partsOf(lines)) {
          applied.push(await applyStaged(inside, linesInStatement(part), startedAt, signing, 0));
        }
        const changes = applied.flatMap((part) => part.changes);
        await tellOfChanges(inside, changes, tell);
        return applied.map(({ counts }) => counts).reduce(sumOf);
      } catch (error) {
        if (error instanceof SignaturesOutdated) return null;
        throw error;
      }
    },

    async readVersion() {
      const row = await inside.first(sql<{ version: string }>`
        select version::text as version from company_data_version where company_id = ${companyId}`);
      return row?.version ?? '0';
    },

    async findKept(key, now) {
      const row = await inside.first(sql<Row<'idempotent_push'>>`
        select ${columns} from idempotent_push
        where company_id = ${companyId} and key = ${key} and expires_at > ${now}`);
      return row && toKept(row);
    },

    async keep({ key, fingerprint, result, ...times }) {
      const row = { ...times, fingerprint: toBytes(fingerprint), ...result };
      // What is there under the key already is forgotten.
      await inside.run(
        inside.build
          .insertInto('idempotent_push')
          .values({ companyId, key, ...row })
          .onConflict((conflict) => conflict.columns(['companyId', 'key']).doUpdateSet(row)),
      );
    },
  };
}

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
