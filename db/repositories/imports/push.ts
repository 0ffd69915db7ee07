import type { ImportLine, KeptPush, PushTransaction } from '#core';
import { type Store, sql } from '../../store.ts';
import { toBytes } from '../rows.ts';
import { applyStaged } from './apply.ts';
import { SignaturesOutdated } from './apply-metrics.ts';
import { findProblems } from './problems.ts';
import { linesInStatement } from './staged.ts';

interface KeptRow {
  readonly key: string;
  readonly fingerprint: Uint8Array;
  readonly pushedAt: Date;
  readonly expiresAt: Date;
  readonly created: number;
  readonly revised: number;
  readonly unchanged: number;
  readonly dataVersion: string;
}

/** @param inside a transaction in the scope of the company, which is locked */
export function createPush(inside: Store, companyId: string, startedAt: Date): PushTransaction {
  const lines: ImportLine[] = [];
  return {
    async stage(batch) {
      lines.push(...batch);
    },

    findProblems: () => findProblems(inside, linesInStatement(lines)),

    apply: (signing) =>
      applyStaged(inside, linesInStatement(lines), startedAt, signing, 0).catch(
        (error: unknown) => {
          if (error instanceof SignaturesOutdated) return null;
          throw error;
        },
      ),

    async readVersion() {
      const row = await inside.first(sql<{ version: string }>`
        select version::text as version from company_data_version where company_id = ${companyId}`);
      return row?.version ?? '0';
    },

    async findKept(key, now) {
      const row = await inside.first(sql<KeptRow>`
        select key, fingerprint, pushed_at as "pushedAt", expires_at as "expiresAt", created, revised,
          unchanged, data_version::text as "dataVersion"
        from idempotent_push
        where company_id = ${companyId} and key = ${key} and expires_at > ${now}`);
      return row && toKept(row);
    },

    async keep({ key, fingerprint, pushedAt, expiresAt, result }) {
      // What is there under the key already is forgotten.
      await inside.run(sql`
        insert into idempotent_push (company_id, key, fingerprint, pushed_at, expires_at, created,
          revised, unchanged, data_version)
        values (${companyId}, ${key}, ${toBytes(fingerprint)}, ${pushedAt}, ${expiresAt},
          ${result.created}, ${result.revised}, ${result.unchanged}, ${result.dataVersion})
        on conflict (company_id, key) do update set (fingerprint, pushed_at, expires_at, created,
            revised, unchanged, data_version)
          = (excluded.fingerprint, excluded.pushed_at, excluded.expires_at, excluded.created,
            excluded.revised, excluded.unchanged, excluded.data_version)`);
    },
  };
}

const toKept = ({ key, fingerprint, pushedAt, expiresAt, ...result }: KeptRow): KeptPush => ({
  key,
  fingerprint: Buffer.from(fingerprint).toString('hex'),
  pushedAt,
  expiresAt,
  result,
});
