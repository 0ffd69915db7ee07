import type { ApprovalRules, ApprovalsRequired } from '#core';
import { rowScopeOf } from '../connections/row-scope.ts';
import { type StatementRunner, type Stores, sql } from '../connections/store.ts';
import { checkCredential } from './acting-credentials.ts';
import { withLogEntry } from './settings-changes.ts';

export async function requiredApprovals(
  store: StatementRunner,
  companyId: string,
): Promise<ApprovalsRequired> {
  const [rule] = await store.run(sql<{ required: ApprovalsRequired }>`
    select approvals_required as required from approval_rule where company_id = ${companyId}`);
  return rule?.required ?? 1;
}

export function createApprovalRules({ scopes }: Stores): ApprovalRules {
  const storeOf = (companyId: string) => scopes.requests.scoped(rowScopeOf({ companyId }));
  return {
    find: (companyId) => requiredApprovals(storeOf(companyId), companyId),

    save: (companyId, required, credential, change) =>
      storeOf(companyId).transact(async (inside) => {
        await checkCredential(inside, credential);
        await withLogEntry(inside, change, async () => {
          await inside.run(sql`
            insert into approval_rule (company_id, approvals_required)
            values (${companyId}, ${required})
            on conflict (company_id) do update set approvals_required = excluded.approvals_required`);
          return true;
        });
      }),
  };
}
