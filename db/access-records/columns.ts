import type { AccessRecord } from '#core';
import { snakeCase, sql } from '../store.ts';
import { idText, isIdField } from './ids.ts';

/** The columns of the view `access_record_text` by the fields of a record, with their types. */
export const types = {
  id: 'text',
  occurredAt: 'timestamptz',
  requestId: 'text',
  protocol: 'text',
  keyId: 'text',
  contactId: 'text',
  investorId: 'text',
  companyId: 'text',
  scope: 'text',
  resource: 'text',
  metricKey: 'text',
  grantId: 'text',
  outcome: 'text',
  count: 'integer',
} as const satisfies Record<keyof AccessRecord, string>;

export const fields = Object.keys(types) as (keyof AccessRecord)[];

/** The columns of a row of the view as the fields of a record. */
export const selectedRecord = sql.raw(
  fields.map((field) => `${snakeCase(field)} as "${field}"`).join(', '),
);

/** The columns of a row of the table, or of one of its partitions, as the fields of a record. */
export const selectedRow = sql.join(
  fields.map((field) => {
    const column = isIdField(field) ? idText(field) : sql.ref(snakeCase(field));
    return sql`${column} as ${sql.ref(field)}`;
  }),
);
