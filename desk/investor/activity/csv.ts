import type { OwnRecord } from '#core';
import { type Columns, sendRecordCsv } from '../../components/record-csv.ts';
import type { InvestorContext } from '../../context.ts';
import { withQuery } from '../../days.ts';
import { forInvestors } from '../../route.ts';
import { filterNames, readFilters } from './filters.ts';

async function download(context: InvestorContext) {
  const { caller, useCases } = context;
  const { invalid, sought } = readFilters(context);
  // The page says what is wrong, beside the field.
  if (Object.keys(invalid).length > 0)
    return { to: withQuery('/desk/activity', filterNames, context) };
  return sendRecordCsv(context, columns, useCases.investor.walkOwnRecords(caller, sought));
}

/** The same records as the page shows, all of them. */
export const ownRecordsCsvRoutes = [forInvestors.get('/activity.csv', download)];

const columns: Columns<OwnRecord> = [
  ['id', ({ record }) => record.id],
  ['occurred_at', ({ record }) => record.occurredAt.toISOString()],
  ['request_id', ({ record }) => record.requestId],
  ['protocol', ({ record }) => record.protocol],
  ['company_id', ({ company }) => company?.id ?? null],
  ['company_name', ({ company }) => company?.name ?? null],
  ['key_hint', ({ keyHint }) => keyHint],
  ['contact_id', ({ record }) => record.contactId],
  ['contact_email', ({ contactEmail }) => contactEmail],
  ['scope', ({ record }) => record.scope],
  ['resource', ({ record }) => record.resource],
  ['metric_key', ({ record }) => record.metricKey],
  ['grant_id', ({ record }) => record.grantId],
  ['outcome', ({ record }) => record.outcome],
  ['count', ({ record }) => `${record.count}`],
];
