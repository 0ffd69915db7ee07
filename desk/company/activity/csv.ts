import type { ReceivedRecord } from '#core';
import { type Columns, sendRecordCsv } from '../../components/record-csv.ts';
import { forContacts } from '../../route.ts';
import { readFilters } from './filters.ts';

export const activityCsvRoutes = [
  forContacts.get('/activity.csv', (context) =>
    sendRecordCsv(context, readFilters(context), columns, (criteria) =>
      context.useCases.company.walkReceivedRecords(context.caller, criteria),
    ),
  ),
];

/** The columns have the names of the record's fields in REST. */
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
