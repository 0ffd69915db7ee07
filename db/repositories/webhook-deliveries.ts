import {
  type Backlog,
  companyOf,
  type DueDelivery,
  isRequestEvent,
  noBacklog,
  type WebhookClaim,
  type WebhookDeliveries,
} from '#core';
import { WebhookDeliveryEntity, WebhookEndpointEntity } from '../entities/webhooks.ts';
import { consumeEvents, oldestUnconsumedAt } from '../event-consumer.ts';
import { columnsOf, type Row, type Store, type Stores, sql } from '../store.ts';
import { findFeedEvents, findGranted } from './access-events.ts';
import { saveAttempt, toEndpoint } from './webhook-endpoints.ts';

const endpointColumns = columnsOf(WebhookEndpointEntity, 'webhook_endpoint');
const deliveryColumns = columnsOf(WebhookDeliveryEntity, 'webhook_delivery');

/**
 * Endpoints are claimed, not deliveries: so one process at a time delivers to an endpoint, and what one receiver has not
 * taken yet costs nobody else anything (docs/decisions/0039).
 */
export function createWebhookDeliveries({ requests: store }: Stores): WebhookDeliveries {
  return {
    queue: ({ isWanted, now, limit }) =>
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
              lastAttemptAt: null,
              lastStatus: null,
              lastFailure: null,
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
      }),

    claim: (claimId, now, until, { endpoints, ofOneOwner }) =>
      store.run(sql<WebhookClaim>`
        with claimed as (
          select coalesce(company_id, investor_id) as owner, count(*) as count
          from webhook_endpoint where claim_id is not null and due_at > ${now} group by owner
        ), of_owner as (
          select id, coalesce(company_id, investor_id) as owner, row_number() over (
            partition by coalesce(company_id, investor_id) order by due_at, id) as place
          from webhook_endpoint where due_at <= ${now}
        ), due as (
          select webhook_endpoint.id from webhook_endpoint
            join of_owner on of_owner.id = webhook_endpoint.id
            left join claimed on claimed.owner = of_owner.owner
          where webhook_endpoint.due_at <= ${now}
            and of_owner.place + coalesce(claimed.count, 0) <= ${ofOneOwner}
          order by webhook_endpoint.due_at, webhook_endpoint.id limit ${endpoints}
          for update of webhook_endpoint skip locked
        )
        update webhook_endpoint set due_at = ${until}, claim_id = ${claimId}
        from due where webhook_endpoint.id = due.id
        returning ${claimId}::text as id, webhook_endpoint.id as "endpointId"`),

    async due(endpointId, now, limit) {
      // A company that the investor who owns the endpoint may not know of is marked, and everything of an owner that is
      // suspended.
      const rows = await store.run(sql<Row<'webhook_delivery'> & { isVisible: boolean }>`
        select ${deliveryColumns}, case when webhook_endpoint.investor_id is null then not exists (
            select from company
            where company.id = webhook_endpoint.company_id and company.suspended_at is not null
          ) else exists (
            select from access_standing as standing
            where standing.investor_id = webhook_endpoint.investor_id
              and standing.company_id = event.company_id and standing.in_portfolio
          ) end as "isVisible"
        from webhook_delivery
          join webhook_endpoint on webhook_endpoint.id = webhook_delivery.endpoint_id
          join access_event as event on event.id = webhook_delivery.event_id
        where webhook_delivery.endpoint_id = ${endpointId}
          and webhook_delivery.state = 'pending' and webhook_delivery.next_attempt_at <= ${now}
        order by webhook_delivery.next_attempt_at, webhook_delivery.event_id limit ${limit}`);
      const visible = rows.filter(({ isVisible }) => isVisible).map(({ eventId }) => eventId);
      const events = await findFeedEvents(store, visible);
      return rows.map(
        ({ isVisible: _isVisible, ...row }): DueDelivery => ({
          delivery: toDelivery(row),
          event: events.get(row.eventId) ?? null,
        }),
      );
    },

    settle: (before, after) => saveAttempt(store, { before, after }),

    release: ({ id, endpointId }) =>
      store.transact(async (inside) => {
        // The lock comes first: the next statement then sees what was queued until now, and nothing is queued meanwhile.
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

    async readBacklog(now) {
      const backlog = await store.first(sql<Backlog>`
        select count(*)::int as waiting, min(created_at) as "oldestAt",
          (select min(due_at) from webhook_endpoint where due_at <= ${now}) as "dueSince",
          ${oldestUnconsumedAt('webhooks')} as "oldestUnconsumedAt"
        from webhook_delivery where state = 'pending'`);
      return backlog ?? noBacklog;
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

    replay: (endpointId, eventId, now) =>
      store.transact(async (inside) => {
        await inside.run(sql`select from webhook_endpoint where id = ${endpointId} for update`);
        const replayed = await inside.run(sql`
          update webhook_delivery set state = 'pending', attempts = 0, next_attempt_at = ${now}
          where endpoint_id = ${endpointId}
            and ${eventId === null ? sql`state = 'failed'` : sql`state <> 'pending' and event_id = ${eventId}`}
          returning event_id`);
        if (replayed.length > 0) await makeDue(inside, [endpointId], now);
        return replayed.length;
      }),

    async forget(before, limit) {
      const ended = await store.run(sql`
        delete from webhook_delivery where (endpoint_id, event_id) in (
          select endpoint_id, event_id from webhook_delivery
          where state <> 'pending' and created_at < ${before} limit ${limit})
        returning 1`);
      const ofRemoved = await store.run(sql`
        delete from webhook_delivery where (endpoint_id, event_id) in (
          select webhook_delivery.endpoint_id, webhook_delivery.event_id
          from webhook_endpoint
            join webhook_delivery on webhook_delivery.endpoint_id = webhook_endpoint.id
          where webhook_endpoint.removed_at is not null limit ${limit})
        returning 1`);
      await store.run(sql`
        delete from webhook_endpoint where removed_at is not null and not exists (
          select from webhook_delivery where endpoint_id = webhook_endpoint.id)`);
      return ended.length + ofRemoved.length;
    },
  };
}

/** The endpoints that may want something, locked in one order: none is removed or released while this goes on. */
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

/** While an endpoint is claimed, its release sees what has become due. */
async function makeDue(inside: Store, ids: readonly string[], now: Date): Promise<void> {
  await inside.run(sql`
    update webhook_endpoint set due_at = least(coalesce(due_at, ${now}), ${now})
    where id = any(${ids}::text[]) and claim_id is null`);
}

const toDelivery = ({
  companyId: _companyId,
  ...delivery
}: Row<'webhook_delivery'>): DueDelivery['delivery'] => delivery;
