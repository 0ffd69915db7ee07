import { z } from 'zod';
import { encodings } from '#http';
import { dateFormat, datePattern } from './dates.ts';
import { recordTypes } from './fields.ts';
import { numberFormat } from './numbers.ts';

const oneCharacter = z.string().length(1, 'must be one character');
const column = z.union(
  [z.string().min(1), z.int().min(1)],
  'must be a heading, or a position from 1',
);
const constant = z.union(
  [z.string(), z.boolean(), z.null()],
  'must be a text, true, false or null',
);
const field = z.strictObject({
  /** A constant value for all rows. */
  value: constant.optional(),
  column: column.optional(),
  /** Maps words in the cells to values. */
  values: z.record(z.string(), constant).optional(),
  /** The treatment of a cell that isn't among `values`. */
  others: z.enum(['refuse', 'keep', 'skip']).optional(),
  /** Only for an amount in two columns, such as debit and credit. The amount in this column is subtracted. */
  minus_column: column.optional(),
  negate: z.boolean().optional(),
  /** The treatment of an empty cell: reject the line, omit the field, skip the record, or use the given value. */
  empty: z
    .union(
      [z.enum(['refuse', 'omit', 'skip']), z.strictObject({ value: constant })],
      'must be refuse, omit, skip or {"value": …}',
    )
    .optional(),
});

const record = z.strictObject({
  type: z.enum(recordTypes),
  fields: z.record(z.string(), field).default({}),
  /**
   * With `formats`, finds the columns whose headings are dates in one of these formats. `days` maps headings to
   * periods.
   */
  period_columns: z
    .union(
      [
        z.strictObject({ formats: z.array(datePattern).min(1) }),
        z.strictObject({ days: z.record(z.string(), z.iso.date('must be YYYY-MM-DD')) }),
      ],
      'must be {"formats": […]} or {"days": {"heading": "YYYY-MM-DD"}}',
    )
    .optional(),
});

export const mappingSchema = z.strictObject({
  encoding: z.enum(encodings).optional(),
  delimiter: oneCharacter.default(','),
  quote: oneCharacter.nullable().default('"'),
  skip_lines: z.int().min(0).max(10_000).default(0),
  header: z.boolean().default(true),
  /** Texts that count as an empty cell, in addition to the empty text. */
  empty_texts: z.array(z.string()).default([]),
  numbers: numberFormat.optional(),
  dates: dateFormat.optional(),
  /** A shared field applies to each record whose type has the field, unless the record maps the field itself. */
  fields: z.record(z.string(), field).default({}),
  records: z.array(record).min(1).max(1000),
});

export type MappingDocument = z.output<typeof mappingSchema>;
export type RecordDocument = z.output<typeof record>;
export type FieldMapping = z.output<typeof field>;
