import type { ReceivedRecord } from '#core';
import { type Columns, sendRecordCsv } from '../../components/record-csv.ts';
import type { ContactContext } from '../../context.ts';
import { forContacts } from '../../route.ts';
import { readFilters, withFilters } from './filters.ts';

async function download(context: ContactContext) {
  const { caller, useCases } = context;
  const { invalid, ...filters } = readFilters(context);
  // The page says what is wrong, beside the field.
  if (Object.keys(invalid).length > 0) return { to: withFilters('/desk/activity', context) };
  const pieces = useCases.company.walkReceivedRecords(caller, filters);
  return sendRecordCsv(context, columns, pieces);
}

/** The same records as the page shows, all of them. */
export const activityCsvRoutes = [forContacts.get('/activity.csv', download)];

/** By the names that the records have in REST. */
export const columns: Columns<ReceivedRecord> = [
  ['id', ({ id }) => id],
  ['occurred_at', ({ occurredAt }) => occurredAt.toISOString()],
  ['request_id', ({ requestId }) => requestId],
  ['protocol', ({ protocol }) => protocol],
  ['investor_id', ({ investorId }) => investorId],
  ['investor_name', ({ investorName }) => investorName],
  ['key_hint', ({ keyHint }) => keyHint],
  ['contact_id', ({ contactId }) => contactId],
  ['contact_email', ({ contactEmail }) => contactEmail],
  ['scope', ({ scope }) => scope],
  ['resource', ({ resource }) => resource],
  ['metric_key', ({ metricKey }) => metricKey],
  ['grant_id', ({ grantId }) => grantId],
  ['outcome', ({ outcome }) => outcome],
  ['count', ({ count }) => `${count}`],
];
