import type { Ports } from '#core';

/** Without the second check of the credential in the transaction, only the check before an action can refuse it. */
export const unchecked = (ports: Ports): Partial<Ports> => {
  const { accessRequests, apiKeys, approvalRules, companyKeys, contacts, imports } = ports;
  const { webhookDeliveries, webhookEndpoints } = ports;
  return {
    accessRequests: {
      ...accessRequests,
      transact: (_, work) => accessRequests.transact(null, work),
    },
    actingCredentials: { check: async () => undefined },
    apiKeys: { ...apiKeys, transact: (id, _, work) => apiKeys.transact(id, null, work) },
    approvalRules: {
      ...approvalRules,
      save: (companyId, required, _, change) =>
        approvalRules.save(companyId, required, null, change),
    },
    companyKeys: {
      ...companyKeys,
      transact: (id, _, work) => companyKeys.transact(id, null, work),
    },
    contacts: { ...contacts, transact: (owner, _, work) => contacts.transact(owner, null, work) },
    imports: {
      ...imports,
      transact: (push, work) => imports.transact({ ...push, credential: null }, work),
    },
    webhookDeliveries: {
      ...webhookDeliveries,
      replay: (_, ...given) => webhookDeliveries.replay(null, ...given),
    },
    webhookEndpoints: {
      ...webhookEndpoints,
      add: (_, ...given) => webhookEndpoints.add(null, ...given),
      remove: (_, ...given) => webhookEndpoints.remove(null, ...given),
      saveSecrets: (_, ...given) => webhookEndpoints.saveSecrets(null, ...given),
      enable: (_, ...given) => webhookEndpoints.enable(null, ...given),
    },
  };
};
