import type { ActingCredential, SettingsChange, WebhookEndpoint, WebhookEndpoints } from '#core';
import type { Row, Stores } from '../connections/store.ts';
import { WebhookDeliveryEntity, WebhookEndpointEntity } from '../entities/webhooks.ts';
import { checkCredential } from './acting-credentials.ts';
import { isOf, lockOwner, ownerColumns, storeOf, toOwner } from './rows.ts';
import { logChange, withLogEntry } from './settings-changes.ts';

export function createWebhookEndpoints(stores: Stores): WebhookEndpoints {
  const store = stores.requests;
  const existing = store.build
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('removedAt', 'is', null);
  const oldestFirst = existing.orderBy('createdAt').orderBy('id');

  const update = (
    credential: ActingCredential | null,
    where: { readonly id: string; readonly secret?: string },
    changes: Partial<Row<'webhook_endpoint'>>,
    change: SettingsChange | null,
  ) =>
    store.transact(async (inside) => {
      await checkCredential(inside, credential);
      const isThere = { ...where, removedAt: null };
      const isUpdated = (await inside.update(WebhookEndpointEntity, isThere, changes)) === 1;
      if (isUpdated && change !== null) await logChange(inside, change);
      return isUpdated;
    });

  return {
    add: (credential, endpoint, most, change) =>
      withLogEntry(storeOf(stores, endpoint.owner), change, async (inside) => {
        const { owner, ...row } = endpoint;
        await lockOwner(inside, owner);
        await checkCredential(inside, credential);
        const existing = await inside.run(oldestFirst.where(isOf(owner)).limit(most));
        if (existing.length >= most) return false;
        await inside.insert(WebhookEndpointEntity, { ...row, ...ownerColumns(owner) });
        return true;
      }),

    async find(id) {
      const row = await store.first(existing.where('id', '=', id));
      return row && toEndpoint(row);
    },

    async list(owner) {
      const rows = await storeOf(stores, owner).run(oldestFirst.where(isOf(owner)));
      return rows.map(toEndpoint);
    },

    remove: (credential, id, now, change) => {
      const noSecrets = { secret: '', previousSecret: null, previousSecretUntil: null };
      const removal = { removedAt: now, dueAt: null, ...noSecrets };
      return update(credential, { id }, removal, change);
    },

    change: (credential, { id, ...changes }, change) => update(credential, { id }, changes, change),

    saveSecrets: (credential, { id, secret, previousSecret, previousSecretUntil }, old, change) => {
      const secrets = { secret, previousSecret, previousSecretUntil };
      return update(credential, { id, secret: old }, secrets, change);
    },

    enable: (credential, id, change) =>
      update(credential, { id }, { disabledAt: null, disabledReason: null }, change),

    disable: (id, disabledReason, disabledAt, change) =>
      store.transact(async (inside) => {
        const disabled = await inside.update(
          WebhookEndpointEntity,
          { id, disabledAt: null, removedAt: null },
          { disabledAt, disabledReason },
        );
        if (disabled === 1) await logChange(inside, change);
        await inside.update(
          WebhookDeliveryEntity,
          { endpointId: id, state: 'pending' },
          { state: 'failed', nextAttemptAt: null },
        );
      }),
  };
}

export function toEndpoint({
  companyId,
  investorId,
  removedAt: _removedAt,
  dueAt: _dueAt,
  claimId: _claimId,
  ...endpoint
}: Row<'webhook_endpoint'>): WebhookEndpoint {
  return { ...endpoint, owner: toOwner({ companyId, investorId }) };
}
