import { AccessError, DataLocked, type Imports, requireNotErased } from '#core';
import { codeOf } from '../../connections/outages.ts';
import { type StatementRunner, type Stores, sql } from '../../connections/store.ts';
import { IdempotentPushEntity } from '../../entities/company-data.ts';
import { checkCredential } from '../acting-credentials.ts';
import { lockOwner } from '../rows.ts';
import { createPush, lockDataVersion } from './push.ts';
import { createStaleSources } from './stale-sources.ts';

/**
 * The longest time that a push waits for the lock of its company's data. The time is longer than a usual push takes, so
 * that two pushes can run one after the other.
 */
const lockTimeout = '250ms';

/** The timeout after a push found the data locked. It is short, because other companies' pushes wait meanwhile. */
const shortLockTimeout = '25ms';

export function createImports({
  longWork,
  requests,
  scopes,
}: Pick<Stores, 'longWork' | 'requests' | 'scopes'>): Imports {
  const companiesLockedBefore = new Set<string>();
  return {
    ...createStaleSources({ requests, scopes }),

    transact({ companyId, startedAt, credential, isOfOperator = false }, work) {
      const run = async (inside: StatementRunner) => {
        await checkCredential(inside, credential);
        // After an erasure, a company's own credentials no longer work. So only an operator's push needs this check.
        // The check locks the company before the data, like an erasure does.
        const company = isOfOperator ? await lockOwner(inside, { companyId }, 'key share') : null;
        if (company !== null) requireNotErased(company);
        const version = await lockDataVersion(inside, companyId);
        companiesLockedBefore.delete(companyId);
        return work(createPush(inside, { companyId, version }, startedAt));
      };
      if (isOfOperator) return longWork.transact(run);
      const timeout = companiesLockedBefore.has(companyId) ? shortLockTimeout : lockTimeout;
      return scopes.batches
        .scoped({ companies: [companyId] }, { lock_timeout: timeout })
        .transact(run)
        .catch((error: unknown) => {
          if (!isLockTimeout(error)) throw error;
          companiesLockedBefore.add(companyId);
          throw new DataLocked({ cause: error });
        });
    },

    async deleteExpiredPushes(now) {
      await requests.remove(IdempotentPushEntity, { expiresAt: { $lte: now } });
    },

    async deletePushes(pushes) {
      await longWork.run(sql`
        delete from idempotent_push where (company_id, key) in (
          select * from unnest(
            ${pushes.map(({ companyId }) => companyId)}::text[],
            ${pushes.map(({ key }) => key)}::text[]))`);
    },
  };
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof AccessError && codeOf(error.cause) === '55P03';
