import type { AttemptedDelivery, Owner, WebhookEndpoint, WebhookEndpoints } from '#core';
import { WebhookDeliveryEntity, WebhookEndpointEntity } from '../entities/webhooks.ts';
import { rowScopeOf } from '../row-scope.ts';
import type { Row, Store, Stores } from '../store.ts';
import { lockOwner, ownerColumns, toOwner } from './rows.ts';
import { tell, told } from './settings-changes.ts';

export function createWebhookEndpoints({ scopes, requests: store }: Stores): WebhookEndpoints {
  const { scoped } = scopes.requests;
  const there = store.build
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('removedAt', 'is', null);
  const oldestFirst = there.orderBy('createdAt').orderBy('id');

  const ofOwner = (owner: Owner) =>
    'companyId' in owner
      ? oldestFirst.where('companyId', '=', owner.companyId)
      : oldestFirst.where('investorId', '=', owner.investorId);

  return {
    add: (endpoint, most, change) =>
      told(scoped(rowScopeOf(endpoint.owner)), change, (whole) =>
        whole.transact(async (inside) => {
          await lockOwner(inside, endpoint.owner);
          const existing = await inside.run(ofOwner(endpoint.owner).limit(most));
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
      const rows =
        owner === null
          ? await store.run(oldestFirst)
          : await scoped(rowScopeOf(owner)).run(ofOwner(owner));
      return rows.map(toEndpoint);
    },

    remove: (id, now, change) =>
      told(store, change, async (inside) => {
        const noSecrets = { secret: '', previousSecret: null, previousSecretUntil: null };
        const removal = { removedAt: now, dueAt: null, ...noSecrets };
        return (await inside.update(WebhookEndpointEntity, { id, removedAt: null }, removal)) === 1;
      }),

    saveSecrets: ({ id, secret, previousSecret, previousSecretUntil }, old, change) =>
      told(store, change, async (inside) => {
        const current = { id, secret: old, removedAt: null };
        const secrets = { secret, previousSecret, previousSecretUntil };
        return (await inside.update(WebhookEndpointEntity, current, secrets)) === 1;
      }),

    enable: (id, change) =>
      told(store, change, async (inside) => {
        const enabled = { disabledAt: null, disabledReason: null };
        return (await inside.update(WebhookEndpointEntity, { id, removedAt: null }, enabled)) === 1;
      }),

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
