import { z } from 'zod';
import type { Decimal } from '#core';
import { toSnakeCase } from '#http';

/** A time sent by a caller, with any offset. */
export const instantParameter = z.iso
  .datetime({ offset: true })
  .meta({ description: 'RFC 3339.', example: '2027-03-31T00:00:00Z' });

/** The same schema with an example from the demo. */
export const withExample = <Schema extends z.ZodType>(schema: Schema, example: unknown): Schema =>
  schema.meta({ ...schema.meta(), example });

/** A cursor in a list that is newest first, with a time in the future. */
export const exampleCursor = (id: string) => `1gcmxpmo0.${id}`;

export const companyIdSchema = z
  .string()
  .meta({ description: 'ID of a portfolio company.', example: 'co_harbor' });

export const metricKeySchema = z
  .string()
  .meta({ description: 'Key of a metric.', example: 'cash_balance' });

/** The company of a path. An empty part of a path is an ID that no company has, so it is not found. */
export const companyOf = (id: string) => ({ companyId: id || 'co_' });

export const companyParameters = z.object({ id: companyIdSchema });

export const metricParameters = z.object({ id: companyIdSchema, key: metricKeySchema });

type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** Returns the fields of a resource under their names in REST. */
export const wireFields = <Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [toSnakeCase(name), field]),
  ) as unknown as { -readonly [Name in keyof Shape as SnakeCase<Name>]: Shape[Name] };

/** Returns a field that REST leaves out where other protocols have null. */
export function absentIfNull<Field extends z.ZodType>(field: z.ZodNullable<Field>) {
  const { description = '', ...meta } = field.meta() ?? {};
  return (field.unwrap() as Field)
    .optional()
    .meta({ ...meta, description: description.replace('Null', 'Absent') });
}

/** Returns a JSON number with exactly these digits. */
export function presentAmount(amount: Decimal): number {
  return JSON.rawJSON(amount) as unknown as number;
}
