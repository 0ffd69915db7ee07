import {
  companyOf,
  dataEventTypes,
  type WebhookDeliveries,
  type WebhookDelivery,
  type WebhookEndpoints,
} from '#core';
import { createMemoryAccessEvents } from './access-events.ts';
import { checkCredential } from './acting-credentials.ts';
import { logChange, logging } from './settings-changes.ts';
import { earliest, isBefore, isSameOwner, oldestFirst, portfolioOf, type Store } from './store.ts';

interface Schedule {
  dueAt: Date | null;
  claimId: string | null;
}

/** No method awaits anything in the middle of a change, so calls can't interfere with each other. */
export function createMemoryWebhooks(store: Store): {
  webhookEndpoints: WebhookEndpoints;
  webhookDeliveries: WebhookDeliveries;
} {
  const { endpoints } = store;
  const schedules = new Map<string, Schedule>();
  const deliveries = new Map<string, WebhookDelivery>();
  const events = createMemoryAccessEvents(store);
  let position = 0;

  const keyOf = (endpointId: string, eventId: string) => `${endpointId} ${eventId}`;
  const scheduleOf = (id: string) =>
    schedules.getOrInsertComputed(id, () => ({ dueAt: null, claimId: null }));
  const pendingOf = (endpointId: string) =>
    [...deliveries.values()].filter(
      (delivery) => delivery.endpointId === endpointId && delivery.state === 'pending',
    );
  const save = (delivery: WebhookDelivery) =>
    deliveries.set(keyOf(delivery.endpointId, delivery.eventId), structuredClone(delivery));

  function makeDue(id: string, now: Date): void {
    const schedule = scheduleOf(id);
    if (schedule.claimId !== null) return;
    if (schedule.dueAt === null || schedule.dueAt > now) schedule.dueAt = now;
  }

  const companies = new Map<string, string>();
  const isOfData = ({ eventType }: WebhookDelivery) =>
    (dataEventTypes as readonly string[]).includes(eventType);

  function dropOldest(id: string, companyId: string, maxWaiting: number): void {
    const waiting = pendingOf(id).filter(
      (one) => isOfData(one) && companies.get(one.eventId) === companyId,
    );
    const endpoint = endpoints.get(id);
    const excess = waiting.slice(0, Math.max(0, waiting.length - maxWaiting));
    for (const { eventId } of excess) deliveries.delete(keyOf(id, eventId));
    if (endpoint === undefined) return;
    const droppedDataEvents = endpoint.droppedDataEvents + excess.length;
    endpoints.set(id, { ...endpoint, droppedDataEvents });
  }

  /** Companies take turns, separately for events about data and about access requests. */
  function inTurns(due: readonly WebhookDelivery[]): WebhookDelivery[] {
    const groups = Map.groupBy(due, (one) => `${companies.get(one.eventId)} ${isOfData(one)}`);
    const turns = new Map(
      [...groups.values()].flatMap((group) =>
        [...group.entries()].map(([turn, one]) => [one, turn]),
      ),
    );
    const turnOf = (one: WebhookDelivery) => turns.get(one) ?? 0;
    return due.toSorted((one, other) => turnOf(one) - turnOf(other));
  }

  const ownEndpoints: WebhookEndpoints = {
    async add(credential, endpoint, most) {
      checkCredential(store, credential);
      const existing = [...endpoints.values()].filter(({ owner }) =>
        isSameOwner(owner, endpoint.owner),
      );
      if (existing.length >= most) return false;
      endpoints.set(endpoint.id, structuredClone(endpoint));
      return true;
    },
    async find(id) {
      return structuredClone(endpoints.get(id) ?? null);
    },
    async list(owner) {
      const found = [...endpoints.values()].filter(
        (endpoint) => owner === null || isSameOwner(endpoint.owner, owner),
      );
      return structuredClone(oldestFirst(found));
    },
    async remove(credential, id) {
      checkCredential(store, credential);
      for (const { endpointId, eventId } of [...deliveries.values()]) {
        if (endpointId === id) deliveries.delete(keyOf(endpointId, eventId));
      }
      return endpoints.delete(id);
    },
    async change(credential, { id, ...given }) {
      checkCredential(store, credential);
      const endpoint = endpoints.get(id);
      if (endpoint === undefined) return false;
      endpoints.set(id, { ...endpoint, ...given });
      return true;
    },
    async saveSecrets(credential, { id, secret, previousSecret, previousSecretUntil }, old) {
      checkCredential(store, credential);
      const endpoint = endpoints.get(id);
      if (endpoint?.secret !== old) return false;
      endpoints.set(id, { ...endpoint, secret, previousSecret, previousSecretUntil });
      return true;
    },
    async enable(credential, id) {
      checkCredential(store, credential);
      const endpoint = endpoints.get(id);
      if (endpoint === undefined) return false;
      endpoints.set(id, { ...endpoint, disabledAt: null, disabledReason: null });
      return true;
    },
    async disable(id, disabledReason, disabledAt, change) {
      const endpoint = endpoints.get(id);
      if (endpoint !== undefined && endpoint.disabledAt === null) {
        endpoints.set(id, { ...endpoint, disabledAt, disabledReason });
        logChange(store, change);
      }
      for (const one of pendingOf(id)) save({ ...one, state: 'failed', nextAttemptAt: null });
    },
  };

  const webhookEndpoints = logging(store, ownEndpoints, [
    'add',
    'change',
    'remove',
    'saveSecrets',
    'enable',
  ]);

  const webhookDeliveries: WebhookDeliveries = {
    async queue({ isWanted, now, limit, maxWaiting }) {
      const taken = await events.read({
        reader: null,
        after: String(position),
        since: null,
        limit,
      });
      const granted = await events.findGranted(taken.map(companyOf));
      for (const event of taken) {
        const wanting = [...endpoints.values()].filter(
          (endpoint) => endpoint.disabledAt === null && isWanted(endpoint, event, granted, now),
        );
        companies.set(event.id, companyOf(event));
        for (const { id } of wanting) {
          save({
            endpointId: id,
            eventId: event.id,
            eventType: event.type,
            state: 'pending',
            attempts: 0,
            nextAttemptAt: now,
            lastAttemptAt: null,
            lastStatus: null,
            lastFailure: null,
            createdAt: event.createdAt,
          });
          makeDue(id, now);
          dropOldest(id, companyOf(event), maxWaiting);
        }
        position = Number(event.position);
      }
      return taken.length;
    },
    async claim({ id: claimId, now, until, limit, perOwner }) {
      const all = [...endpoints.values()].map(({ id, owner }) => ({
        endpointId: id,
        owner: JSON.stringify(owner),
        schedule: scheduleOf(id),
      }));
      const served = new Map<string, number>();
      const isWithinShare = ({ owner }: { readonly owner: string }) => {
        const count = (served.get(owner) ?? 0) + 1;
        served.set(owner, count);
        return count <= perOwner;
      };
      all
        .filter(
          ({ schedule: { dueAt, claimId } }) => claimId !== null && Number(dueAt) > Number(now),
        )
        .forEach(isWithinShare);
      const due = all
        .filter(({ schedule: { dueAt } }) => dueAt !== null && dueAt <= now)
        .toSorted((a, b) => Number(a.schedule.dueAt) - Number(b.schedule.dueAt))
        .filter(isWithinShare)
        .slice(0, limit);
      for (const { schedule } of due) Object.assign(schedule, { dueAt: until, claimId });
      return due.map(({ endpointId }) => ({ id: claimId, endpointId }));
    },
    async listDue(endpointId, now, limit) {
      const oldest = pendingOf(endpointId)
        .filter(({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= now)
        .toSorted((a, b) => Number(a.nextAttemptAt) - Number(b.nextAttemptAt));
      const due = inTurns(oldest).slice(0, limit);
      const owner = endpoints.get(endpointId)?.owner;
      return Promise.all(
        due.map(async (delivery) => {
          const event = await events.find(delivery.eventId);
          const isVisible =
            owner !== undefined &&
            event !== null &&
            ('companyId' in owner
              ? store.companies.get(owner.companyId)?.suspendedAt == null
              : portfolioOf(store, owner.investorId).has(companyOf(event)));
          return { delivery: structuredClone(delivery), event: isVisible ? event : null };
        }),
      );
    },
    async settle(before, after) {
      const current = deliveries.get(keyOf(before.endpointId, before.eventId));
      if (current?.state === 'pending' && current.attempts === before.attempts) save(after);
    },
    async release({ id, endpointId }) {
      const schedule = scheduleOf(endpointId);
      if (schedule.claimId !== id) return;
      const times = pendingOf(endpointId).map(({ nextAttemptAt }) => Number(nextAttemptAt));
      schedule.claimId = null;
      schedule.dueAt = times.length === 0 ? null : new Date(Math.min(...times));
    },
    async readBacklog(now) {
      const waiting = [...deliveries.values()].filter(({ state }) => state === 'pending');
      const dueAt = [...schedules.values()].map((schedule) => schedule.dueAt);
      return {
        waiting: waiting.length,
        oldestAt: earliest(waiting.map(({ createdAt }) => createdAt)),
        dueSince: earliest(dueAt.filter((instant) => instant !== null && instant <= now)),
        oldestUnconsumedAt: store.consents.events[position]?.createdAt ?? null,
      };
    },
    async find(endpointId, eventId) {
      return structuredClone(deliveries.get(keyOf(endpointId, eventId)) ?? null);
    },
    async list({ endpointId, state, before, limit }) {
      const found = [...deliveries.values()].filter(
        (one) =>
          one.endpointId === endpointId &&
          (state === null || one.state === state) &&
          isBefore({ instant: one.createdAt, id: one.eventId }, before),
      );
      const inOrder = oldestFirst(found.map((one) => ({ ...one, id: one.eventId }))).toReversed();
      return inOrder.slice(0, limit).map(({ id: _id, ...one }) => structuredClone(one));
    },
    async replay(credential, endpointId, eventId, now) {
      checkCredential(store, credential);
      const chosen = [...deliveries.values()].filter(
        (one) =>
          one.endpointId === endpointId &&
          (eventId === null
            ? one.state === 'failed'
            : one.state !== 'pending' && one.eventId === eventId),
      );
      for (const one of chosen) {
        save({ ...one, state: 'pending', attempts: 0, nextAttemptAt: now });
      }
      if (chosen.length > 0) makeDue(endpointId, now);
      return chosen.length;
    },
    async deleteOld(before, limit) {
      const ended = [...deliveries.values()]
        .filter(({ state, createdAt }) => state !== 'pending' && createdAt < before)
        .slice(0, limit);
      for (const { endpointId, eventId } of ended) deliveries.delete(keyOf(endpointId, eventId));
      return ended.length;
    },
  };
  return { webhookEndpoints, webhookDeliveries };
}
