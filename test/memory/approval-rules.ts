import type { ApprovalRules } from '#core';
import { checkCredential } from './acting-credentials.ts';
import { logChange } from './settings-changes.ts';
import type { Store } from './store.ts';

export const createMemoryApprovalRules = (store: Store): ApprovalRules => ({
  find: async (companyId) => store.approvalRules.get(companyId) ?? 1,

  save: (companyId, required, credential, change) =>
    store.serially(async () => {
      checkCredential(store, credential);
      store.approvalRules.set(companyId, required);
      logChange(store, change);
    }),
});
