import { z } from 'zod';
import type { Decimal } from '#core';

/** A time in an HTTP request, with any UTC offset. */
export const instantParameter = z.iso
  .datetime({ offset: true })
  .meta({ description: 'RFC 3339.', example: '2027-03-31T00:00:00Z' });

export const withExample = <Schema extends z.ZodType>(schema: Schema, example: unknown): Schema =>
  schema.meta({ ...schema.meta(), example });

/** A valid cursor for a list with the newest items first. Its time is in the future, so the page contains all items. */
export const exampleCursor = (id: string) => `1gcmxpmo0.${id}`;

export const companyIdSchema = z
  .string()
  .meta({ description: 'ID of a portfolio company.', example: 'co_harbor' });

export const metricKeySchema = z
  .string()
  .meta({ description: 'Key of a metric.', example: 'cash_balance' });

/** Replaces an empty ID, as in `/companies//metrics`, with an invalid ID, so that the company isn't found. */
export const companyOf = (id: string) => ({ companyId: id || 'co_' });

export const companyParameters = z.object({ id: companyIdSchema });

export const metricParameters = z.object({ id: companyIdSchema, key: metricKeySchema });

/** Makes a nullable field optional, because REST omits a field where other protocols return null. */
export function absentIfNull<Field extends z.ZodType>(field: z.ZodNullable<Field>) {
  const { description = '', ...meta } = field.meta() ?? {};
  return (field.unwrap() as Field)
    .optional()
    .meta({ ...meta, description: description.replace('Null', 'Absent') });
}

/** Returns a JSON number with exactly these digits. The type `number` is only for the compiler. */
export function presentAmount(amount: Decimal): number {
  return JSON.rawJSON(amount) as unknown as number;
}
