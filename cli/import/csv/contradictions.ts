import { parseFormat } from './dates.ts';
import { type FieldKind, fieldsOf, recordTypes } from './fields.ts';
import type { FieldMapping, MappingDocument, RecordDocument } from './schema.ts';

interface Contradiction {
  readonly path: (string | number)[];
  readonly message: string;
}

/** Adds the shared fields that the record's type has. */
export function mergeFields(
  { type, fields, period_columns }: RecordDocument,
  shared: RecordDocument['fields'],
): RecordDocument['fields'] {
  const ofType = Object.entries(shared).filter(
    ([name]) =>
      fieldsOf[type][name] !== undefined && !(period_columns !== undefined && isOfColumns(name)),
  );
  return { ...Object.fromEntries(ofType), ...fields };
}

const hasNoDay = (format: string): boolean => parseFormat(format)?.hasDay === false;

const isOfColumns = (name: string): boolean => name === 'period' || name === 'raw_value';

/**
 * Expects a mapping whose format is valid.
 *
 * @param known fields that the mapping can omit, because the caller knows their values
 */
export function* contradictions(
  whole: MappingDocument,
  knownFields: readonly string[] = [],
): Generator<Contradiction> {
  for (const name of Object.keys(whole.fields)) {
    if (recordTypes.some((type) => fieldsOf[type][name] !== undefined)) continue;
    yield { path: ['fields', name], message: "isn't a field of any record" };
  }
  const formats = [...(whole.dates?.formats ?? [])];
  for (const [index, record] of whole.records.entries()) {
    const path = ['records', index];
    yield* contradictionsOfRecord(record, whole.fields, path, knownFields);
    const { period_columns: columns } = record;
    if (columns === undefined) continue;
    if (!whole.header) yield { path: [...path, 'period_columns'], message: 'needs a header' };
    if ('formats' in columns) formats.push(...columns.formats);
  }
  const kinds = new Set(
    whole.records.flatMap((record) => [...kindsInColumns(record, whole.fields)]),
  );
  if (kinds.has('amount') && whole.numbers === undefined) {
    yield { path: ['numbers'], message: 'is missing: how does the file write amounts?' };
  }
  if ((kinds.has('day') || kinds.has('instant')) && !whole.dates?.formats.length) {
    yield { path: ['dates', 'formats'], message: 'is missing: how does the file write dates?' };
  }
  if (formats.some(hasNoDay) && whole.dates?.month === undefined) {
    yield {
      path: ['dates', 'month'],
      message: 'is missing: a format has no day, so choose first_day or last_day',
    };
  }
}

function* contradictionsOfRecord(
  record: RecordDocument,
  shared: RecordDocument['fields'],
  path: (string | number)[],
  knownFields: readonly string[],
): Generator<Contradiction> {
  const { type, period_columns } = record;
  const rules = fieldsOf[type];
  if (period_columns !== undefined && type !== 'metric') {
    yield { path: [...path, 'period_columns'], message: 'is for metrics' };
  }
  for (const name of Object.keys(record.fields)) {
    if (rules[name] === undefined) {
      yield { path: [...path, 'fields', name], message: `isn't a field of ${type} records` };
    }
  }
  const fields = mergeFields(record, shared);
  for (const [name, { kind, required }] of Object.entries(rules)) {
    const at = [...path, 'fields', name];
    const mapped = fields[name];
    if (period_columns !== undefined && isOfColumns(name)) {
      const names = Object.keys(mapped ?? {});
      if (name === 'period' && mapped !== undefined) {
        yield {
          path: at,
          message: 'must be absent, because the headings of period_columns contain the period',
        };
      } else if (names.some((key) => key !== 'negate' && key !== 'empty')) {
        yield {
          path: at,
          message: 'may contain only negate and empty if the record has period_columns',
        };
      }
    } else if (mapped !== undefined) {
      for (const message of contradictionsOfField(mapped, kind)) yield { path: at, message };
    } else if (required && !knownFields.includes(name)) yield { path: at, message: 'is missing' };
  }
}

function* contradictionsOfField(mapping: FieldMapping, kind: FieldKind): Generator<string> {
  const { value, column: from, values, others, minus_column, negate } = mapping;
  if ((value === undefined) === (from === undefined)) yield 'must have a value or a column';
  if (value !== undefined && kind === 'amount') yield 'must come from a column';
  if (value !== undefined && Object.keys(mapping).length > 1)
    yield 'has a value, so other members aren’t allowed';
  if (values !== undefined && (kind === 'amount' || kind === 'day' || kind === 'instant')) {
    yield `is read as ${kind === 'amount' ? 'an amount' : 'a date'}, so values isn't allowed`;
  }
  if (others !== undefined && values === undefined) yield 'has others, but no values';
  if (kind !== 'amount' && (minus_column !== undefined || negate !== undefined)) {
    yield "isn't an amount, so minus_column and negate aren't allowed";
  }
}

function* kindsInColumns(
  record: RecordDocument,
  shared: RecordDocument['fields'],
): Generator<FieldKind> {
  if (record.period_columns !== undefined) yield 'amount';
  for (const [name, { column: from }] of Object.entries(mergeFields(record, shared))) {
    const rule = fieldsOf[record.type][name];
    if (rule !== undefined && from !== undefined) yield rule.kind;
  }
}
