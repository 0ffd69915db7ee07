import type { AccessRecord } from '#core';
import { snakeCase, sql } from '../store.ts';

/** The columns of the table by the fields of a record, with their types. */
export const types: Readonly<Record<keyof AccessRecord, string>> = {
  id: 'text',
  occurredAt: 'timestamptz',
  requestId: 'text',
  protocol: 'text',
  keyId: 'text',
  investorId: 'text',
  companyId: 'text',
  scope: 'text',
  resource: 'text',
  metricKey: 'text',
  grantId: 'text',
  outcome: 'text',
  count: 'integer',
};

export const fields = Object.keys(types) as (keyof AccessRecord)[];

/** The columns of a row as the fields of a record. */
export const selectedRecord = sql.raw(
  fields.map((field) => `${snakeCase(field)} as "${field}"`).join(', '),
);
