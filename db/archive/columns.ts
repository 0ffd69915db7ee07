import type { AccessRecord } from '#core';
import { fields } from '../access-records/columns.ts';
import { snakeCase } from '../store.ts';

/** The columns of a file as the fields of a record; the instant in milliseconds. */
export const selectedFields = fields
  .map((field) =>
    field === 'occurredAt'
      ? `epoch_ms(occurred_at) as "occurredAt"`
      : `${snakeCase(field)} as "${field}"`,
  )
  .join(', ');

/** From a row of `selectedFields`. */
export function toRecord(row: Readonly<Record<string, unknown>>): AccessRecord {
  return { ...row, occurredAt: new Date(Number(row.occurredAt)) } as AccessRecord;
}

/** A line that is the same for the same record, wherever it is kept. */
export function canonicalLine(record: AccessRecord): string {
  const values = fields.map((field) =>
    field === 'occurredAt' ? record.occurredAt.toISOString() : record[field],
  );
  return `${JSON.stringify(values)}\n`;
}
