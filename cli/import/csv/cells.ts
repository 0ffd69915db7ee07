import { createDateReader } from './dates.ts';
import type { FieldKind } from './fields.ts';
import type { Mapping } from './mapping.ts';
import { createNumberReader, exampleOf, negate, subtract } from './numbers.ts';
import type { FieldMapping } from './schema.ts';

/** A value as JSON.parse returns it. An amount stays raw JSON text, which keeps all digits. */
export type CellValue = string | boolean | null | { readonly rawJSON: string };

type CellResult =
  | { readonly value: CellValue }
  | { readonly omit: true }
  | { readonly skip: true }
  | { readonly reason: string };

export type CellReader = (cells: readonly string[]) => CellResult;

/**
 * @param positions the positions of the field's columns: none for a constant, two for an amount in two columns such as
 * debit and credit
 */
export function createCellReader(
  mapping: Mapping,
  field: FieldMapping,
  kind: FieldKind,
  positions: readonly number[],
): CellReader {
  const { value } = field;
  if (value !== undefined) return () => ({ value });
  const isEmpty = createEmptinessCheck(mapping);
  const read = createTextReader(mapping, field, kind);
  return (cells) => {
    const texts = positions.map((position) => cells[position]?.trim() ?? '');
    return texts.every(isEmpty) ? meaningOfEmpty(field) : read(texts, isEmpty);
  };
}

type TextReader = (texts: readonly string[], isEmpty: (text: string) => boolean) => CellResult;

function createTextReader(mapping: Mapping, field: FieldMapping, kind: FieldKind): TextReader {
  switch (kind) {
    case 'amount':
      return createAmountReader(mapping, field);
    case 'day':
    case 'instant': {
      const read = createDateReader({ formats: [], utc_offset: 'Z', ...mapping.dates });
      return ([text = '']) => {
        const date = read(text);
        return 'reason' in date ? refuse(text, date.reason) : { value: date[kind] };
      };
    }
    case 'flag':
      return ([text = '']) => translate(text, field, flags[text.toLowerCase()] ?? text);
    case 'text':
      return ([text = '']) => translate(text, field, text);
  }
}

const flags: Readonly<Record<string, boolean>> = { true: true, false: false };

function createAmountReader({ numbers }: Mapping, field: FieldMapping): TextReader {
  // Never used: a mapping with amounts but without a number format was already rejected.
  const format = numbers ?? {
    decimal_mark: '.',
    thousands_separator: null,
    negative: [],
    symbols: [],
  };
  const read = createNumberReader(format);
  return (texts, isEmpty) => {
    const amounts: string[] = [];
    for (const text of texts) {
      const amount = isEmpty(text) ? '0' : read(text);
      if (amount === null) return refuse(text, `is not a number like ${exampleOf(format)}`);
      amounts.push(amount);
    }
    const [first = '0', second] = amounts;
    const amount = second === undefined ? first : subtract(first, second);
    return { value: JSON.rawJSON(field.negate === true ? negate(amount) : amount) };
  };
}

function createEmptinessCheck({ empty_texts }: Mapping): (text: string) => boolean {
  const texts = new Set(['', ...empty_texts.map((text) => text.trim())]);
  return (text) => texts.has(text);
}

function meaningOfEmpty({ empty = 'refuse' }: FieldMapping): CellResult {
  if (typeof empty === 'object') return empty;
  if (empty === 'omit') return { omit: true };
  return empty === 'skip' ? { skip: true } : { reason: 'is empty' };
}

function translate(
  text: string,
  { values, others = 'refuse' }: FieldMapping,
  plain: CellValue,
): CellResult {
  if (values === undefined) return { value: plain };
  if (Object.hasOwn(values, text)) return { value: values[text] ?? null };
  if (others === 'keep') return { value: plain };
  return others === 'skip'
    ? { skip: true }
    : refuse(text, 'is not one of the values of the mapping');
}

const maxShown = 40;

function refuse(text: string, reason: string): CellResult {
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return { reason: `"${shown}" ${reason}` };
}
