import {
  AccessError,
  type AccessEvent,
  type AccessRequestTransaction,
  createReceipt,
  eventIdOf,
  type Receipt,
  type ReceiptContext,
} from '#core';
import { AccessRequestEntity, IdempotencyKeyEntity } from '../entities/consent.ts';
import { columnsOf, type Row, type Store, sql } from '../store.ts';
import { type EventRow, eventColumns, toEvent } from './access-events.ts';

type LockedRow = Omit<Row<'access_request'>, 'lastReceiptId'> & ReceiptContext;

/** With what its next receipt needs, so that no other statement has to ask for it. */
const select = sql`
  select ${columnsOf(AccessRequestEntity, 'access_request', 'lastReceiptId')},
    access_request.last_receipt_id as "previousId", company.environment,
    company.name as "companyName", investor.name as "investorName"
  from access_request
    join company on company.id = access_request.company_id
    join investor on investor.id = access_request.investor_id`;

const ofRow = (table: 'company' | 'investor', column: 'name' | 'environment') =>
  sql<string>`(select ${sql.ref(column)} from ${sql.table(table)}
    where id = access_request.${sql.ref(`${table}_id`)})`;

export function createTransaction(store: Store): AccessRequestTransaction {
  /** The receipt contexts of the requests that this transaction has locked or added, by id. */
  const contexts = new Map<string, ReceiptContext>();

  async function lock(clauses: ReturnType<typeof sql>) {
    const rows = await store.run(sql<LockedRow>`${select} ${clauses}`);
    return rows.map(({ previousId, environment, companyName, investorName, ...request }) => {
      contexts.set(request.id, { previousId, environment, companyName, investorName });
      return request;
    });
  }

  const lockOne = async (clauses: ReturnType<typeof sql>) => (await lock(clauses))[0] ?? null;

  const lockById = (id: string) =>
    lockOne(sql`where access_request.id = ${id} for update of access_request`);

  return {
    lock: lockById,

    lockAvailable: (ids) =>
      lock(sql`
        where access_request.id = any(${ids}::text[])
        order by access_request.created_at, access_request.id
        for update of access_request skip locked`),

    lockNewest: (investorId, companyId) =>
      lockOne(sql`
        where access_request.investor_id = ${investorId} and access_request.company_id = ${companyId}
        order by access_request.created_at desc, access_request.id desc limit 1
        for update of access_request`),

    /** When another transaction is adding one for the pair, this waits for its end. */
    async add(request) {
      const added = await store.first(
        store.build
          .insertInto('access_request')
          .values(request)
          .onConflict((conflict) =>
            conflict
              .columns(['investorId', 'companyId'])
              .where(sql<boolean>`status in ('pending', 'approved')`)
              .doNothing(),
          )
          .returning([
            ofRow('company', 'environment')
              .$castTo<ReceiptContext['environment']>()
              .as('environment'),
            ofRow('company', 'name').as('companyName'),
            ofRow('investor', 'name').as('investorName'),
          ]),
      );
      if (added === null) return false;
      contexts.set(request.id, { ...added, previousId: null });
      return true;
    },

    async save({ id, ...request }) {
      const saved = await store.update(AccessRequestEntity, { id }, request);
      if (saved !== 1) throw new Error(`there is no access request ${id} to save`);
    },

    async findChange(requestId, version) {
      const row = await store.first(sql<EventRow>`
        select ${eventColumns} from access_event as event
        where event.access_request_id = ${requestId}
          and event.type <> 'access_request.expiring'
          and event.number > (
            select number from access_event
            where id = ${eventIdOf(version)} and access_request_id = ${requestId}
          )
        order by event.number limit 1`);
      return row && toEvent(row);
    },

    async addEvent(event, identity) {
      const { id } = event.accessRequest;
      if (!contexts.has(id)) await lockById(id);
      const context = contexts.get(id);
      if (context === undefined) throw new Error(`there is no access request ${id} to tell of`);
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
 * Both rows in one statement. What was signed with a key that is retired meanwhile is kept without the signature; the
 * lock waits for the retirement, because the foreign key would see it and refuse the whole change.
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
