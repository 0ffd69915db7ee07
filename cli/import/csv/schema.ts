import { z } from 'zod';
import { encodings } from '#http';
import { dateFormat, datePattern } from './dates.ts';
import { recordTypes } from './fields.ts';
import { numberFormat } from './numbers.ts';

const oneCharacter = z.string().length(1, 'must be one character');
/** By its heading, or by its position, counted from 1. */
const column = z.union(
  [z.string().min(1), z.int().min(1)],
  'must be a heading, or a position from 1',
);
const constant = z.union(
  [z.string(), z.boolean(), z.null()],
  'must be a text, true, false or null',
);
const field = z.strictObject({
  /** The same for each row. */
  value: constant.optional(),
  column: column.optional(),
  /** What the cells mean that say it in words of their own. */
  values: z.record(z.string(), constant).optional(),
  /** Cells that are not among `values`. */
  others: z.enum(['refuse', 'keep', 'skip']).optional(),
  /** For an amount in two columns, as debit and credit: the second is taken from the first. */
  minus_column: column.optional(),
  negate: z.boolean().optional(),
  /** What an empty cell means: a bad line, a field that is left out, no record at all, or this. */
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
  /** Each of these columns holds the amount of one period: by headings that are dates, or one by one. */
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

/** The form of a mapping file. */
export const mappingSchema = z.strictObject({
  encoding: z.enum(encodings).optional(),
  delimiter: oneCharacter.default(','),
  quote: oneCharacter.nullable().default('"'),
  skip_lines: z.int().min(0).max(10_000).default(0),
  header: z.boolean().default(true),
  /** Texts beside the empty one that a cell holds when it holds nothing. */
  empty_texts: z.array(z.string()).default([]),
  numbers: numberFormat.optional(),
  dates: dateFormat.optional(),
  /** For every record whose type has the field, unless the record says otherwise. */
  fields: z.record(z.string(), field).default({}),
  records: z.array(record).min(1).max(1000),
});

export type MappingDocument = z.output<typeof mappingSchema>;
export type RecordDocument = z.output<typeof record>;
export type FieldMapping = z.output<typeof field>;
