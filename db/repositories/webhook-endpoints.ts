import type { AttemptedDelivery, SettingsChange, WebhookEndpoint, WebhookEndpoints } from '#core';
import { WebhookDeliveryEntity, WebhookEndpointEntity } from '../entities/webhooks.ts';
import type { Row, Store, Stores } from '../store.ts';
import { isOf, lockOwner, ownerColumns, storeOf, toOwner } from './rows.ts';
import { tell, told, toldUpdate } from './settings-changes.ts';

export function createWebhookEndpoints(stores: Stores): WebhookEndpoints {
  const store = stores.requests;
  const there = store.build
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('removedAt', 'is', null);
  const oldestFirst = there.orderBy('createdAt').orderBy('id');

  const update = (
    where: { readonly id: string; readonly secret?: string },
    changes: Partial<Row<'webhook_endpoint'>>,
    change: SettingsChange | undefined,
  ) => toldUpdate(store, change, WebhookEndpointEntity, { ...where, removedAt: null }, changes);

  return {
    add: (endpoint, most, change) =>
      told(storeOf(stores, endpoint.owner), change, (whole) =>
        whole.transact(async (inside) => {
          await lockOwner(inside, endpoint.owner);
          const existing = await inside.run(oldestFirst.where(isOf(endpoint.owner)).limit(most));
          if (existing.length >= most) return false;
          await inside.insert(WebhookEndpointEntity, toRow(endpoint));
          return true;
        }),
      ),

    async find(id) {
      const row = await store.first(there.where('id', '=', id));
      return row && toEndpoint(row);
    },

    async list(owner) {
      const rows = await storeOf(stores, owner).run(oldestFirst.where(isOf(owner)));
      return rows.map(toEndpoint);
    },

    remove: (id, now, change) => {
      const noSecrets = { secret: '', previousSecret: null, previousSecretUntil: null };
      return update({ id }, { removedAt: now, dueAt: null, ...noSecrets }, change);
    },

    saveSecrets: ({ id, secret, previousSecret, previousSecretUntil }, old, change) =>
      update({ id, secret: old }, { secret, previousSecret, previousSecretUntil }, change),

    enable: (id, change) => update({ id }, { disabledAt: null, disabledReason: null }, change),

    disable: (id, disabledReason, disabledAt, last, change) =>
      store.transact(async (inside) => {
        for (const attempted of last) await saveAttempt(inside, attempted);
        const disabled = await inside.update(
          WebhookEndpointEntity,
          { id, disabledAt: null, removedAt: null },
          { disabledAt, disabledReason },
        );
        if (disabled === 1 && change !== undefined) await tell(inside, change);
        await inside.update(
          WebhookDeliveryEntity,
          { endpointId: id, state: 'pending' },
          { state: 'failed', nextAttemptAt: null },
        );
      }),
  };
}

/** Changes nothing when another attempt was kept meanwhile. */
export async function saveAttempt(
  store: Store,
  { before: { endpointId, eventId, attempts }, after }: AttemptedDelivery,
): Promise<void> {
  const { state, nextAttemptAt, lastAttemptAt, lastStatus, lastFailure } = after;
  await store.update(
    WebhookDeliveryEntity,
    { endpointId, eventId, attempts, state: 'pending' },
    { state, attempts: after.attempts, nextAttemptAt, lastAttemptAt, lastStatus, lastFailure },
  );
}

function toRow({ owner, ...endpoint }: WebhookEndpoint): Row<'webhook_endpoint'> {
  return {
    ...endpoint,
    ...ownerColumns(owner),
    removedAt: null,
    dueAt: null,
    claimId: null,
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
  return {
    ...endpoint,
    owner: toOwner({ companyId, investorId }),
  };
}
