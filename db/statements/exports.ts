import type { Company, Exports, StoredRecord, VersionedCompany, WriteRecords } from '#core';
import { columnsOf, type Row, type Statement, type Store, sql } from '../connections/store.ts';
import { AccountEntity, SourceEntity } from '../entities/company-data.ts';
import { type EventRow, eventColumns } from './access-events.ts';
import {
  type RevisionRow,
  revisionColumns,
  revisionPointColumns,
  toRevisions,
} from './metric-rows.ts';
import { type ReceiptRow, receiptColumns, withReceipt } from './proof/receipt-rows.ts';
import { toReceiptOfEvent } from './proof/receipts.ts';
import { SigningKeyIds } from './proof/signing-key-ids.ts';
import { pagesOf, toDecimal } from './rows.ts';

const rowsAtOnce = 1_000;

const requestsAtOnce = 100;

type Write = WriteRecords<StoredRecord>;
type Series = Pick<Row<'metric_series'>, 'id' | 'key'>;

export function createExports(store: Store): Exports {
  return {
    read: ({ companyId, publicKeyUrl }, write) =>
      store.snapshot(async (inside) => {
        const company = await inside.first(
          inside.build.selectFrom('company').selectAll().where('id', '=', companyId),
        );
        if (company === null) return false;
        await write([{ type: 'company', company }]);
        await writeSourcesAndAccounts(inside, company, write);
        await writeMetrics(inside, { ...company, publicKeyUrl }, write);
        await writeReceipts(inside, company, write);
        return true;
      }),
  };
}

async function writeSourcesAndAccounts(store: Store, { id }: Company, write: Write): Promise<void> {
  const readSources = (last: Row<'source'> | null) =>
    store.run(sql<Row<'source'>>`
      select ${columnsOf(SourceEntity, 'source', 'isStaleReported')} from source
      where company_id = ${id}
        and (provider, account_name) > (${last?.provider ?? ''}, ${last?.accountName ?? ''})
      order by provider, account_name limit ${rowsAtOnce}`);
  for await (const sources of pagesOf(rowsAtOnce, readSources)) {
    await write(sources.map((source) => ({ type: 'source', source })));
  }
  const readAccounts = (last: Row<'account'> | null) =>
    store.run(sql<Row<'account'>>`
      select ${columnsOf(AccountEntity, 'account')} from account
      where company_id = ${id} and id > ${last?.id ?? ''}
      order by id limit ${rowsAtOnce}`);
  for await (const rows of pagesOf(rowsAtOnce, readAccounts)) {
    const accounts = rows.map((row) => ({ ...row, rawBalance: toDecimal(row.rawBalance) }));
    await write(accounts.map((account) => ({ type: 'account', account })));
  }
}

async function writeMetrics(
  store: Store,
  { id, ...company }: Company & Pick<VersionedCompany, 'publicKeyUrl'>,
  write: Write,
): Promise<void> {
  const keyIds = new SigningKeyIds(store);
  const readSeries = (last: Series | null) =>
    store.run(sql<Series>`
      select id, key from metric_series where company_id = ${id} and key > ${last?.key ?? ''}
      order by key limit ${rowsAtOnce}`);
  for await (const page of pagesOf(rowsAtOnce, readSeries)) {
    for (const series of page) {
      const readRevisions = (last: RevisionRow | null) => store.run(revisions(series.id, last));
      for await (const rows of pagesOf(rowsAtOnce, readRevisions)) {
        const kids = await keyIds.of(rows);
        const nameOf = () => ({ companyId: id, key: series.key });
        const metrics = toRevisions(rows, nameOf, { ...company, kids });
        await write(metrics.map((metric) => ({ type: 'metric', metric })));
      }
    }
  }
}

/** Selects revisions, sorted by period and revision. Each half of the union is an index scan of at most one page. */
function revisions(seriesId: string, last: RevisionRow | null): Statement<RevisionRow> {
  const half = (table: string) => sql`
    (select ${revisionColumns} from ${sql.table(table)}
      where series_id = ${seriesId} and period >= ${last?.period ?? '-infinity'}::date
        and (period, revision) > (${last?.period ?? '-infinity'}::date, ${last?.revision ?? 0})
      order by period, revision limit ${rowsAtOnce})`;
  return sql<RevisionRow>`
    select ${revisionPointColumns}
    from (${half('metric_point')} union all ${half('metric_revision')}) as point
    join metric_series as series on series.id = point.series_id
    order by point.period, point.revision limit ${rowsAtOnce}`;
}

async function writeReceipts(store: Store, { id }: Company, write: Write): Promise<void> {
  const requests = await store.run(sql<{ id: string }>`
    select access_request_id as id from access_event
    where company_id = ${id} and access_request_id is not null
    group by access_request_id order by min(number)`);
  for (let start = 0; start < requests.length; start += requestsAtOnce) {
    const ids = requests.slice(start, start + requestsAtOnce).map((request) => request.id);
    const rows = await store.run(sql<EventRow & ReceiptRow>`
      select ${eventColumns}, ${receiptColumns}
      from access_event as event ${withReceipt}
      where event.access_request_id = any(${ids}::text[])
      order by array_position(${ids}::text[], event.access_request_id), event.number`);
    await write(rows.flatMap(toReceiptOfEvent).map((receipt) => ({ type: 'receipt', receipt })));
  }
}
