import { AccessError, DataLocked, type Imports, requireNotErased } from '#core';
import { rowScopeOf } from '../../connections/row-scope.ts';
import { type StatementRunner, type Stores, sql } from '../../connections/store.ts';
import { checkCredential } from '../acting-credentials.ts';
import { lockInOwner } from '../rows.ts';
import { createPush, lockCompany } from './push.ts';
import { createStaleSources } from './stale-sources.ts';

/** Longer than a usual push, so that pushes of two processes follow each other. */
const lockTimeout = '250ms';

/** Shorter for a company whose data was locked last time, because pushes of other companies wait meanwhile. */
const shortLockTimeout = '25ms';

export function createImports({
  longWork,
  requests,
  scopes,
}: Pick<Stores, 'longWork' | 'requests' | 'scopes'>): Imports {
  /** Companies whose data was locked during the last push. */
  const locked = new Set<string>();
  return {
    ...createStaleSources({ requests, scopes }),

    transact({ companyId, startedAt, credential, isOfOperator = false }, work) {
      const run = async (inside: StatementRunner) => {
        await checkCredential(inside, credential);
        // A credential ends with its company, so only an operator's push needs the check. It comes before the lock of the
        // data, as in an erasure.
        const company = isOfOperator ? await lockInOwner(inside, { companyId }) : null;
        if (company !== null) requireNotErased(company);
        const version = await lockCompany(inside, companyId);
        locked.delete(companyId);
        return work(createPush(inside, { companyId, version }, startedAt));
      };
      if (isOfOperator) return longWork.transact(run);
      const timeout = locked.has(companyId) ? shortLockTimeout : lockTimeout;
      return scopes.batches
        .scoped(rowScopeOf({ companyId }), { lock_timeout: timeout })
        .transact(run)
        .catch((error: unknown) => {
          if (!isLockTimeout(error)) throw error;
          locked.add(companyId);
          throw new DataLocked({ cause: error });
        });
    },

    async forgetKept(now) {
      await requests.run(sql`delete from idempotent_push where expires_at <= ${now}`);
    },

    async forgetPushes(pushes) {
      await longWork.run(sql`
        delete from idempotent_push where (company_id, key) in (
          select * from unnest(
            ${pushes.map(({ companyId }) => companyId)}::text[],
            ${pushes.map(({ key }) => key)}::text[]))`);
    },
  };
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof AccessError && (error.cause as { code?: unknown } | undefined)?.code === '55P03';
