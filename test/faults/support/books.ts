import { withClient } from '../../support/postgres-server.ts';
import { type Outcome, requestIdOf, statusOf } from './traffic.ts';

/** Returns answers with company data that have no access record, by the request IDs that callers received. */
export async function findUnrecorded(
  databaseUrl: string,
  reads: readonly Outcome[],
): Promise<string[]> {
  const ids = reads.filter((read) => statusOf(read) === 200).map(requestIdOf);
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select request_id as id from unnest($1::text[]) as answered (request_id)
        where not exists (
          select from access_record
          where access_record.request_id = answered.request_id and outcome = 'allowed'
        )`,
      [ids],
    );
    return rows.map(({ id }) => String(id));
  });
}

export async function findLostRequests(
  databaseUrl: string,
  writes: readonly Outcome[],
): Promise<string[]> {
  const ids = writes
    .filter((write) => statusOf(write) === 201)
    .map(({ answer }) => String(answer?.body.id));
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select id from unnest($1::text[]) as acknowledged (id)
        where not exists (select from access_request where access_request.id = acknowledged.id)`,
      [ids],
    );
    return rows.map(({ id }) => String(id));
  });
}

export interface Change {
  readonly requestId: string;
  readonly type: string;
}

export async function findLostChanges(
  databaseUrl: string,
  changes: readonly Change[],
): Promise<Change[]> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select id, type from unnest($1::text[], $2::text[]) as acknowledged (id, type)
        where not exists (
          select from access_event
          where access_request_id = acknowledged.id and type = acknowledged.type
        )`,
      [changes.map(({ requestId }) => requestId), changes.map(({ type }) => type)],
    );
    return rows.map(({ id, type }) => ({ requestId: String(id), type: String(type) }));
  });
}

/** Returns incompletely stored transactions, and duplicate rows where only one may exist. */
export async function findContradictions(databaseUrl: string): Promise<Record<string, unknown>[]> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(`
      select 'two live requests of one pair' as what, min(id) as id from access_request
        where status in ('pending', 'approved') group by investor_id, company_id having count(*) > 1
      union all
      select 'a request without an event', id from access_request
        where not exists (select from access_event where access_request_id = access_request.id)
      union all
      select 'a last event of another type', request.id from access_request as request
        where last_event_type is distinct from (
          select type from access_event where access_request_id = request.id
          order by number desc limit 1)
      union all
      select 'an event without a receipt', id from access_event
        where access_request_id is not null and not exists (select from consent_receipt where event_id = access_event.id)
      union all
      select 'a receipt that follows none', id from consent_receipt
        where previous_id is null and event_id <> (
          select id from access_event as first
          where first.access_request_id = consent_receipt.access_request_id order by number limit 1)`);
    return rows;
  });
}
