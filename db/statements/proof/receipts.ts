import type { Cursor, ReceiptLocation, ReceiptOfEvent, ReceiptQuery, Receipts } from '#core';
import { type BatchLimits, batchQuestions } from '../../connections/batch.ts';
import { type Stores, sql } from '../../connections/store.ts';
import { type EventRow, eventColumns, toEvent } from '../access-events.ts';
import { byQuestion, toArray } from '../rows.ts';
import { type ReceiptRow, receiptColumns, toReceipt, withReceipt } from './receipt-rows.ts';

type ChainRow = EventRow &
  ReceiptRow & { readonly position: string; readonly begin: string | null };

/** The number of chains that one statement reads. Each chain may have a few hundred receipts. */
const chainsAtOnce = 50;

export function createReceipts(
  { requests: store, longWork }: Stores,
  limits: BatchLimits,
): Receipts {
  return {
    list: batchQuestions(
      async (queries: readonly ReceiptQuery[]) => {
        const rows = await store.run(statements.chains(queries));
        return byQuestion(rows, queries.length).map((found) =>
          found[0]?.begin == null ? null : found.flatMap(toReceiptOfEvent),
        );
      },
      { ...limits, size: chainsAtOnce },
    ),

    async locateReceipt(id) {
      const location = await store.first(statements.place(id));
      if (location === null) throw new Error(`there is no receipt ${id}`);
      return location;
    },

    async listUnsigned(limit, after = null) {
      return (await longWork.run(statements.unsigned(limit, after))).flatMap(toReceiptOfEvent);
    },

    async sign(signatures) {
      const texts = signatures.map(textsOf);
      // An erasure locks the table first, so this statement sees either all changes of the erasure or none.
      const signed = await longWork.run(sql`
        update consent_receipt as receipt set signing_key = signed.key, signature = signed.bytes,
          signed_at = signed.at
        from unnest(
          ${signatures.map(({ receipt }) => receipt.id)}::text[],
          ${signatures.map(({ signature }) => signature.keyNumber)}::smallint[],
          ${signatures.map(({ signature }) => Buffer.from(signature.bytes))}::bytea[],
          ${signatures.map(({ signedAt }) => signedAt.toISOString())}::timestamptz[],
          ${texts.map(({ companyName }) => companyName)}::text[],
          ${texts.map(({ investorName }) => investorName)}::text[],
          ${texts.map(({ purpose }) => purpose)}::text[],
          ${texts.map(({ reason }) => reason)}::text[]
        ) as signed (id, key, bytes, at, company_name, investor_name, purpose, reason),
          access_event as event
        where receipt.id = signed.id and event.id = receipt.event_id and receipt.signature is null
          and (receipt.company_name, receipt.investor_name)
            = (signed.company_name, signed.investor_name)
          and (coalesce(event.access_request->>'pendingPurpose', event.access_request->>'purpose'),
            event.reason) is not distinct from (signed.purpose, signed.reason)
        returning receipt.id`);
      return signed.length;
    },
  };
}

/** The signed texts of a receipt that an erasure may replace. All other fields of a receipt never change. */
const textsOf = ({ event: { accessRequest, reason }, receipt }: ReceiptOfEvent) => ({
  companyName: receipt.companyName,
  investorName: receipt.investorName,
  purpose: accessRequest.pendingPurpose ?? accessRequest.purpose,
  reason,
});

export const statements = {
  /** At least one row per query. A row without an event ends the chain. `begin` is null for an unknown `after`. */
  chains: (queries: readonly ReceiptQuery[]) => sql<ChainRow>`
    select question.position::text, start.number::text as begin, found.*
    from unnest(
      ${toArray(queries.map(({ accessRequestId }) => accessRequestId))}::text[],
      ${toArray(queries.map(({ after }) => after))}::text[],
      ${toArray(queries.map(({ limit }) => limit))}::int[]
    ) with ordinality as question (request_id, after, most, position)
    cross join lateral (
      select case when question.after is null then 0 else (
        select event.number from consent_receipt as receipt
          join access_event as event on event.id = receipt.event_id
        where receipt.id = question.after and event.access_request_id = question.request_id
      ) end as number
    ) as start
    left join lateral (
      select event.number, ${eventColumns}, ${receiptColumns}
      from access_event as event ${withReceipt}
      where event.access_request_id = question.request_id and event.number > start.number
      order by event.number limit question.most
    ) as found on true
    order by question.position, found.number`,

  place: (id: string) => sql<ReceiptLocation>`
    select receipt.environment, (
        select count(*) from access_event as earlier
        where earlier.access_request_id = event.access_request_id and earlier.number <= event.number
      )::int as number
    from consent_receipt as receipt join access_event as event on event.id = receipt.event_id
    where receipt.id = ${id}`,

  /** Leaves out receipts whose event belongs to another access request. */
  unsigned: (limit: number, after: Cursor | null) => sql<EventRow & ReceiptRow>`
    select ${eventColumns}, ${receiptColumns} from consent_receipt as receipt
      join access_event as event
        on event.id = receipt.event_id and event.access_request_id = receipt.access_request_id
      left join signing_key on signing_key.number = receipt.signing_key
    where receipt.signature is null
      and (receipt.issued_at, receipt.id) > (${after?.instant ?? '-infinity'}::timestamptz, ${after?.id ?? ''})
    order by receipt.issued_at, receipt.id limit ${limit}`,
};

export function toReceiptOfEvent(row: EventRow & ReceiptRow): ReceiptOfEvent[] {
  const receipt = toReceipt(row);
  return receipt === null ? [] : [{ event: toEvent(row), receipt }];
}
