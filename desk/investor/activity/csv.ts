import type { OwnRecord } from '#core';
import { type Columns, sendRecordCsv } from '../../components/record-csv.ts';
import { forInvestors } from '../../route.ts';
import { readFilters } from './filters.ts';

export const ownRecordsCsvRoutes = [
  forInvestors.get('/activity.csv', (context) =>
    sendRecordCsv(context, readFilters(context), columns, (criteria) =>
      context.useCases.investor.walkOwnRecords(context.caller, criteria),
    ),
  ),
];

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
