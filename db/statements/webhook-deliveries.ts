import {
  companyOf,
  type DueDelivery,
  dataEventTypes,
  isRequestEvent,
  type WebhookClaim,
  type WebhookDeliveries,
} from '#core';
import { columnsOf, type Row, type Store, type Stores, sql } from '../connections/store.ts';
import { WebhookDeliveryEntity, WebhookEndpointEntity } from '../entities/webhooks.ts';
import { findFeedEvents, findGranted } from './access-events.ts';
import { checkCredential } from './acting-credentials.ts';
import { isOpen } from './memberships.ts';
import { claimItems, consumeEvents, readBacklogOf, removeUpTo } from './queue.ts';
import { toEndpoint } from './webhook-endpoints.ts';

const endpointColumns = columnsOf(WebhookEndpointEntity, 'webhook_endpoint');
const deliveryColumns = columnsOf(WebhookDeliveryEntity, 'webhook_delivery');

/**
 * A process claims an endpoint instead of a delivery. So only one process at a time delivers to an endpoint, and a slow
 * receiver doesn't delay other endpoints (docs/decisions/0019).
 */
export function createWebhookDeliveries({ requests: store }: Stores): WebhookDeliveries {
  return {
    queue: ({ isWanted, now, limit, maxWaiting }) =>
      consumeEvents(store, 'webhooks', limit, async (inside, events) => {
        const granted = await findGranted(
          inside,
          events.filter((event) => !isRequestEvent(event)).map(companyOf),
        );
        const investorIds = [
          ...events.filter(isRequestEvent).map(({ accessRequest }) => accessRequest.investorId),
          ...[...granted.values()].flat().map(({ investorId }) => investorId),
        ];
        const locked = await lockEndpoints(inside, events.map(companyOf), investorIds);
        const endpoints = locked.map(toEndpoint);
        const deliveries = events.flatMap((event) =>
          endpoints
            .filter((endpoint) => isWanted(endpoint, event, granted, now))
            .map(({ id }) => ({
              endpointId: id,
              eventId: event.id,
              companyId: companyOf(event),
              eventType: event.type,
              state: 'pending' as const,
              attempts: 0,
              nextAttemptAt: now,
              createdAt: event.createdAt,
            })),
        );
        if (deliveries.length === 0) return;
        await inside.run(
          inside.build
            .insertInto('webhook_delivery')
            .values(deliveries)
            .onConflict((conflict) => conflict.columns(['endpointId', 'eventId']).doNothing()),
        );
        await makeDue(inside, [...new Set(deliveries.map(({ endpointId }) => endpointId))], now);
        await dropOldest(inside, deliveries, maxWaiting);
      }),

    claim: ({ id, perOwner, ...lease }) => {
      const { now } = lease;
      const owner = sql`coalesce(company_id, investor_id)`;
      const claim = {
        table: sql.table('webhook_endpoint'),
        isDue: sql`due_at <= ${now} and id in (
          select id from (
            select id, ${owner} as owner,
              row_number() over (partition by ${owner} order by due_at, id) as place
            from webhook_endpoint where due_at <= ${now}
          ) as due
          left join (
            select ${owner} as owner, count(*) as count from webhook_endpoint
            where claim_id is not null and due_at > ${now} group by owner
          ) as claimed using (owner)
          where place + coalesce(count, 0) <= ${perOwner})`,
        dueAt: sql`due_at`,
        mark: sql`claim_id = ${id}`,
        columns: sql`item.claim_id as id, item.id as "endpointId"`,
      };
      return claimItems<WebhookClaim>(store, claim, lease);
    },

    async listDue(endpointId, now, limit) {
      // A suspended owner sees no events. An investor sees only events of open memberships in the portfolio.
      const rows = await store.run(sql<Row<'webhook_delivery'> & { isVisible: boolean }>`
        select ${deliveryColumns}, case when webhook_endpoint.investor_id is null then not exists (
            select from company
            where company.id = webhook_endpoint.company_id and company.suspended_at is not null
          ) else exists (
            select from portfolio_membership as membership
            where membership.investor_id = webhook_endpoint.investor_id
              and membership.company_id = event.company_id and ${isOpen}
          ) end as "isVisible"
        from (
            select oldest.*, row_number() over (
              partition by company_id, ${isOfData} order by next_attempt_at, event_id) as turn
            from (
              select * from webhook_delivery
              where endpoint_id = ${endpointId} and state = 'pending' and next_attempt_at <= ${now}
              order by next_attempt_at, event_id limit ${maxDeliveriesInTurns}
            ) as oldest
          ) as webhook_delivery
          join webhook_endpoint on webhook_endpoint.id = webhook_delivery.endpoint_id
          join access_event as event on event.id = webhook_delivery.event_id
        order by turn, next_attempt_at, event_id limit ${limit}`);
      const visible = rows.filter(({ isVisible }) => isVisible).map(({ eventId }) => eventId);
      const events = await findFeedEvents(store, visible);
      return rows.map(
        ({ isVisible: _isVisible, ...row }): DueDelivery => ({
          delivery: toDelivery(row),
          event: events.get(row.eventId) ?? null,
        }),
      );
    },

    async settle({ endpointId, eventId, attempts: before }, after) {
      const { state, attempts, nextAttemptAt, lastAttemptAt, lastStatus, lastFailure } = after;
      const unsettled = { endpointId, eventId, attempts: before, state: 'pending' } as const;
      const outcome = { state, attempts, nextAttemptAt, lastAttemptAt, lastStatus, lastFailure };
      await store.update(WebhookDeliveryEntity, unsettled, outcome);
    },

    release: ({ id, endpointId }) =>
      store.transact(async (inside) => {
        // The lock blocks new deliveries to the endpoint, and the next statement sees all earlier deliveries.
        const claimed = await inside.first(sql`
          select from webhook_endpoint where id = ${endpointId} and claim_id = ${id} for update`);
        if (claimed === null) return;
        await inside.run(sql`
          update webhook_endpoint set claim_id = null, due_at = case
            when removed_at is null and disabled_at is null then (
              select min(next_attempt_at) from webhook_delivery
              where endpoint_id = ${endpointId} and state = 'pending') end
          where id = ${endpointId}`);
      }),

    readBacklog: (now) =>
      readBacklogOf(
        store,
        'webhooks',
        sql`webhook_delivery where state = 'pending'`,
        sql`(select min(due_at) from webhook_endpoint where due_at <= ${now})`,
      ),

    async find(endpointId, eventId) {
      const row = await store.first(
        store.build
          .selectFrom('webhook_delivery')
          .selectAll()
          .where('endpointId', '=', endpointId)
          .where('eventId', '=', eventId),
      );
      return row && toDelivery(row);
    },

    async list({ endpointId, state, before, limit }) {
      let query = store.build
        .selectFrom('webhook_delivery')
        .selectAll()
        .where('endpointId', '=', endpointId)
        .orderBy('createdAt', 'desc')
        .orderBy('eventId', 'desc')
        .limit(limit);
      if (state !== null) query = query.where('state', '=', state);
      if (before !== null) {
        query = query.where(
          sql<boolean>`(created_at, event_id) < (${before.instant}, ${before.id})`,
        );
      }
      return (await store.run(query)).map(toDelivery);
    },

    replay: (credential, endpointId, eventId, now) =>
      store.transact(async (inside) => {
        await checkCredential(inside, credential);
        await inside.run(sql`select from webhook_endpoint where id = ${endpointId} for update`);
        const replayed = await inside.run(sql`
          update webhook_delivery set state = 'pending', attempts = 0, next_attempt_at = ${now}
          where endpoint_id = ${endpointId}
            and ${eventId === null ? sql`state = 'failed'` : sql`state <> 'pending' and event_id = ${eventId}`}
          returning event_id`);
        if (replayed.length > 0) await makeDue(inside, [endpointId], now);
        return replayed.length;
      }),

    async deleteOld(before, limit) {
      const remove = (from: ReturnType<typeof sql>) =>
        removeUpTo(store, sql.table('webhook_delivery'), sql`endpoint_id, event_id`, from, limit);
      const ended = await remove(sql`
        from webhook_delivery where state <> 'pending' and created_at < ${before}`);
      const ofRemoved = await remove(sql`
        from webhook_endpoint join webhook_delivery on endpoint_id = webhook_endpoint.id
        where removed_at is not null`);
      await store.run(sql`
        delete from webhook_endpoint where removed_at is not null and not exists (
          select from webhook_delivery where endpoint_id = webhook_endpoint.id)`);
      return ended + ofRemoved;
    },
  };
}

/**
 * The number of an endpoint's oldest deliveries that are sent in turns, one company after the other. Later deliveries
 * wait, so that reading a long queue stays cheap.
 */
const maxDeliveriesInTurns = 1_000;

const isOfData = sql`event_type = any(${[...dataEventTypes]}::text[])`;

/**
 * Drops an endpoint's oldest data events above the limit, as described in the port `WebhookDeliveries`. Skips a
 * delivery that another transaction has locked. A later call drops it.
 */
async function dropOldest(
  inside: Store,
  queued: readonly Pick<Row<'webhook_delivery'>, 'endpointId' | 'companyId'>[],
  maxWaiting: number,
): Promise<void> {
  await inside.run(sql`
    with waiting as (
      select event_id, endpoint_id, row_number() over (
        partition by endpoint_id, company_id order by created_at desc, event_id desc) as place
      from webhook_delivery
      where endpoint_id = any(${[...new Set(queued.map(({ endpointId }) => endpointId))]}::text[])
        and company_id = any(${[...new Set(queued.map(({ companyId }) => companyId))]}::text[])
        and state = 'pending' and ${isOfData}
    ), excess as (
      select delivery.event_id, delivery.endpoint_id
      from webhook_delivery as delivery join waiting using (event_id, endpoint_id)
      where waiting.place > ${maxWaiting}
      for update of delivery skip locked
    ), dropped as (
      delete from webhook_delivery using excess
      where webhook_delivery.event_id = excess.event_id
        and webhook_delivery.endpoint_id = excess.endpoint_id
      returning webhook_delivery.endpoint_id
    ), counted as (
      select endpoint_id, count(*)::int as dropped from dropped group by endpoint_id
    )
    update webhook_endpoint set dropped_data_events = dropped_data_events + counted.dropped
    from counted where webhook_endpoint.id = counted.endpoint_id`);
}

/** Locks the endpoints in a fixed order. Until the transaction ends, none can be removed or released. */
const lockEndpoints = (
  inside: Store,
  companyIds: readonly string[],
  investorIds: readonly string[],
) =>
  inside.run(sql<Row<'webhook_endpoint'>>`
    select ${endpointColumns} from webhook_endpoint
    where removed_at is null and disabled_at is null
      and (company_id = any(${[...new Set(companyIds)]}::text[])
        or investor_id = any(${[...new Set(investorIds)]}::text[]))
    order by id for update`);

/** Skips claimed endpoints, because a process that releases its claim also finds the new deliveries. */
async function makeDue(inside: Store, ids: readonly string[], now: Date): Promise<void> {
  await inside.run(sql`
    update webhook_endpoint set due_at = least(coalesce(due_at, ${now}), ${now})
    where id = any(${ids}::text[]) and claim_id is null`);
}

const toDelivery = ({
  companyId: _companyId,
  ...delivery
}: Row<'webhook_delivery'>): DueDelivery['delivery'] => delivery;
