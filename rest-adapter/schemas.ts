import { z } from 'zod';
import type { Decimal } from '#core';

/** A time in a request. May have any offset. */
export const instantParameter = z.iso
  .datetime({ offset: true })
  .meta({ description: 'RFC 3339.', example: '2027-03-31T00:00:00Z' });

export const withExample = <Schema extends z.ZodType>(schema: Schema, example: unknown): Schema =>
  schema.meta({ ...schema.meta(), example });

/**
 * A valid cursor of a list with the newest items first. The cursor's time is in the future, so the page contains all
 * items.
 */
export const exampleCursor = (id: string) => `1gcmxpmo0.${id}`;

export const companyIdSchema = z
  .string()
  .meta({ description: 'ID of a portfolio company.', example: 'co_harbor' });

export const metricKeySchema = z
  .string()
  .meta({ description: 'Key of a metric.', example: 'cash_balance' });

/** Replaces the empty ID in `/companies//metrics` by an invalid one, so the company isn't found. */
export const companyOf = (id: string) => ({ companyId: id || 'co_' });

export const companyParameters = z.object({ id: companyIdSchema });

export const metricParameters = z.object({ id: companyIdSchema, key: metricKeySchema });

/** Makes a nullable field optional for REST. REST omits a field if other protocols return null. */
export function absentIfNull<Field extends z.ZodType>(field: z.ZodNullable<Field>) {
  const { description = '', ...meta } = field.meta() ?? {};
  return (field.unwrap() as Field)
    .optional()
    .meta({ ...meta, description: description.replace('Null', 'Absent') });
}

/** Returns a raw JSON number with exactly these digits, typed as a number. */
export function presentAmount(amount: Decimal): number {
  return JSON.rawJSON(amount) as unknown as number;
}
