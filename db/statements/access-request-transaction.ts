import type { RawBuilder } from 'kysely';
import {
  AccessError,
  type AccessEvent,
  type AccessRequest,
  type AccessRequestTransaction,
  type Approval,
  createReceipt,
  eventIdOf,
  type Receipt,
  type ReceiptContext,
  versionlessEventTypes,
} from '#core';
import { columnsOf, type Row, type Store, sql } from '../connections/store.ts';
import { AccessRequestEntity, IdempotencyKeyEntity } from '../entities/consent.ts';
import { type EventRow, eventColumns, toEvent } from './access-events.ts';
import { requiredApprovals } from './approval-rules.ts';
import { toArray } from './rows.ts';

const columns = columnsOf(AccessRequestEntity, 'access_request');

const isLive = sql`status in ('pending', 'approved')`;

const oldestFirst = sql`order by created_at, id`;
const newestFirst = sql`order by created_at desc, id desc limit 1`;

const ofRow = (table: 'company' | 'investor', column: 'name' | 'environment') =>
  sql<string>`(select ${sql.ref(column)} from ${sql.table(table)}
    where id = access_request.${sql.ref(`${table}_id`)})`;

/** The columns that the next receipt of a request needs. Statements that write the request return these columns. */
const receiptContext = [
  ofRow('company', 'environment').$castTo<ReceiptContext['environment']>().as('environment'),
  ofRow('company', 'name').as('companyName'),
  ofRow('investor', 'name').as('investorName'),
  sql<string | null>`(
    select receipt.id from access_event as event
      join consent_receipt as receipt on receipt.event_id = event.id
    where event.access_request_id = access_request.id order by event.number desc limit 1)`.as(
    'previousId',
  ),
] as const;

/** Writes the list as JSON, because the driver would write it as an array of PostgreSQL. */
const toRow = <Values extends Pick<AccessRequest, 'approvals'>>(values: Values) => ({
  ...values,
  approvals: sql<readonly Approval[]>`${JSON.stringify(values.approvals)}::jsonb`,
});

export function createTransaction(store: Store): AccessRequestTransaction {
  /** The receipt contexts of the requests that this transaction has written, by request ID. */
  const contexts = new Map<string, ReceiptContext>();

  const find = (condition: RawBuilder<unknown>, rest: RawBuilder<unknown>) =>
    store.run(sql<Row<'access_request'>>`
      select ${columns} from access_request where ${condition} ${rest}`);

  /**
   * Returns a request, and locks it if it is live. An ended request never changes, so no role may lock it. If a request
   * ends while the first statement waits for the lock, the second statement finds it.
   */
  async function lockOne(condition: RawBuilder<unknown>) {
    const [live] = await find(sql`${condition} and ${isLive}`, sql`${newestFirst} for update`);
    if (live !== undefined) return live;
    const [ended] = await find(sql`${condition} and not ${isLive}`, newestFirst);
    return ended ?? null;
  }

  /**
   * Locks the request, then reads the context in a second statement. A single statement would not see receipts that
   * were committed while it waited for the lock.
   */
  async function lockContext(id: string) {
    await lockOne(sql`id = ${id}`);
    return store.first(
      store.build.selectFrom('access_request').select(receiptContext).where('id', '=', id),
    );
  }

  return {
    lock: (id) => lockOne(sql`id = ${id}`),

    lockAvailable: (ids) =>
      find(sql`id = any(${ids}::text[]) and ${isLive}`, sql`${oldestFirst} for update skip locked`),

    lockNewest: (investorId, companyId) =>
      lockOne(sql`investor_id = ${investorId} and company_id = ${companyId}`),

    /** Waits while another transaction adds a request of the same investor and company. */
    async add(request) {
      // Waits for a running erasure before the insert, so that the receipt doesn't contain an erased name.
      const parties = await store.first(sql`
        select from company, investor
        where company.id = ${request.companyId} and company.suspended_at is null
          and investor.id = ${request.investorId} and investor.suspended_at is null
        for key share`);
      if (parties === null) throw new AccessError('company_not_found');
      const context = await store.first(
        store.build
          .insertInto('access_request')
          .values(toRow(request))
          .onConflict((conflict) =>
            conflict
              .columns(['investorId', 'companyId'])
              .where(sql<boolean>`status in ('pending', 'approved')`)
              .doNothing(),
          )
          .returning(receiptContext),
      );
      if (context === null) return false;
      contexts.set(request.id, context);
      return true;
    },

    async save({
      id,
      investorId: _investor,
      companyId: _company,
      createdAt: _created,
      ...changes
    }) {
      const context = await store.first(
        store.build
          .updateTable('access_request')
          .set(toRow(changes))
          .where('id', '=', id)
          .returning(receiptContext),
      );
      if (context === null) throw new Error(`there is no access request ${id} to save`);
      contexts.set(id, context);
    },

    async findChange(requestId, version) {
      const row = await store.first(sql<EventRow>`
        select ${eventColumns} from access_event as event
        where event.access_request_id = ${requestId}
          and event.type <> all(${toArray(versionlessEventTypes)}::text[])
          and event.number > (
            select number from access_event
            where id = ${eventIdOf(version)} and access_request_id = ${requestId}
          )
        order by event.number limit 1`);
      return row && toEvent(row);
    },

    requiresTwoApprovals: async (companyId) => (await requiredApprovals(store, companyId)) === 2,

    async addEvent(event, identity) {
      const { id } = event.accessRequest;
      const context = contexts.get(id) ?? (await lockContext(id));
      if (context === null) throw new Error(`there is no access request ${id} for an event`);
      const receipt = createReceipt(event, context, identity);
      const added = await store.first(insertion(event, receipt));
      contexts.set(id, { ...context, previousId: receipt.id });
      return added?.isSigned ?? false;
    },

    async completeClaim({ id: claimId, investorId, key }, outcome, accessRequestId) {
      const completed = await store.update(
        IdempotencyKeyEntity,
        { investorId, key, claimId, outcome: null },
        { outcome, accessRequestId },
      );
      if (completed !== 1) throw new AccessError('idempotency_key_in_use');
    },
  };
}

/**
 * Writes the event and its receipt in one statement. If the signing key was retired meanwhile, the receipt is stored
 * unsigned. The lock waits until a running retirement is committed. Otherwise the foreign key could refuse the complete
 * change.
 */
function insertion(event: AccessEvent, receipt: Receipt) {
  const { accessRequest, actor } = event;
  const { signature } = receipt;
  return sql<{ isSigned: boolean }>`
    with event as (
      insert into access_event (id, type, created_at, investor_id, company_id, access_request_id,
          access_request, actor_type, actor_id, actor_signed_in_by, reason)
        values (${event.id}, ${event.type}, ${event.createdAt}, ${accessRequest.investorId},
          ${accessRequest.companyId}, ${accessRequest.id}, ${JSON.stringify(accessRequest)},
          ${actor.type}, ${actor.id}, ${actor.type === 'contact' ? actor.signedInBy : null},
          ${event.reason})
    ), key as materialized (
      select active_number from signing_key
        where active_number = ${signature?.keyNumber ?? null}::smallint for key share
    )
    insert into consent_receipt (id, previous_id, event_id, access_request_id, environment,
        company_id, company_name, investor_name, issued_at, signing_key, signature)
      select ${receipt.id}, ${receipt.previousId}, ${event.id}, ${accessRequest.id},
        ${receipt.environment}, ${accessRequest.companyId}, ${receipt.companyName}, ${receipt.investorName},
        ${receipt.issuedAt}::timestamptz, key.active_number,
        case when key.active_number is not null then ${signature?.bytes ?? null}::bytea end
      from (select) as one left join key on true
      returning signature is not null as "isSigned"`;
}
