import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../cli/import/csv/mapping.ts';

const fields = {
  company_id: { value: 'co_a' },
  key: { value: 'cash' },
  period: { column: 'Day' },
  raw_value: { column: 'Amount' },
  'source.system': { value: 'DATEV' },
  'source.method': { value: 'file' },
  'source.last_synced': { value: '2026-11-01T04:00:00Z' },
};
const mapping = {
  numbers: { decimal_mark: '.' },
  dates: { formats: ['YYYY-MM-DD'] },
  records: [{ type: 'metric', fields }],
};

const parse = (document: unknown) => parseMapping(JSON.stringify(document), 'm.json');
const withFields = (changes: object) => ({
  ...mapping,
  records: [{ type: 'metric', fields: { ...fields, ...changes } }],
});

test('a mapping has defaults for all optional settings', () => {
  expect(parse(mapping)).toMatchObject({ delimiter: ',', quote: '"', skip_lines: 0, header: true });
});

describe('a mapping', () => {
  test.each([
    ['an unknown setting', { ...mapping, delimeter: ';' }, 'Unrecognized key: "delimeter"'],
    ['no records', { ...mapping, records: [] }, 'records: '],
    ['a long delimiter', { ...mapping, delimiter: '::' }, 'delimiter: must be one character'],
    ['an unknown encoding', { ...mapping, encoding: 'ebcdic' }, 'encoding: '],
    [
      'the same mark for decimals and for thousands',
      { ...mapping, numbers: { decimal_mark: ',', thousands_separator: ',' } },
      'numbers.thousands_separator: must not be the decimal mark',
    ],
    ['no number format', { ...mapping, numbers: undefined }, 'numbers: is missing'],
    ['no date format', { ...mapping, dates: undefined }, 'dates.formats: is missing'],
    [
      'an impossible date format',
      { ...mapping, dates: { formats: ['YYYY'] } },
      'dates.formats.0: must contain',
    ],
    [
      'months without a rule for the day',
      { ...mapping, dates: { formats: ['YYYY-MM'] } },
      'dates.month: is missing',
    ],
    [
      'an invalid UTC offset',
      { ...mapping, dates: { formats: ['YYYY-MM-DD'], utc_offset: 'CET' } },
      'dates.utc_offset: must be',
    ],
    [
      'an unknown field',
      withFields({ period_end: { value: 'x' } }),
      "records.0.fields.period_end: isn't a field of metric records",
    ],
    [
      'an unknown shared field',
      { ...mapping, fields: { colour: { value: 'x' } } },
      "fields.colour: isn't a field of any record",
    ],
    [
      'a missing field',
      { ...mapping, records: [{ type: 'source' }] },
      'records.0.fields.provider: is missing',
    ],
    [
      'a field without a value and without a column',
      withFields({ key: {} }),
      'records.0.fields.key: must have a value or a column',
    ],
    [
      'a field with a value and a column',
      withFields({ key: { value: 'a', column: 'B' } }),
      'records.0.fields.key: must have',
    ],
    [
      'a field with a value and other settings',
      withFields({ key: { value: 'a', empty: 'omit' } }),
      'fields.key: has a value, so other members aren’t allowed',
    ],
    [
      'a fixed amount for all rows',
      withFields({ raw_value: { value: '1' } }),
      'fields.raw_value: must come from a column',
    ],
    [
      'a list of values for an amount',
      withFields({ raw_value: { column: 'A', values: {} } }),
      'fields.raw_value: is read as an amount',
    ],
    [
      'a list of values for a date',
      withFields({ period: { column: 'A', values: {} } }),
      'fields.period: is read as a date',
    ],
    [
      'a rule for other values, but no values',
      withFields({ key: { column: 'A', others: 'skip' } }),
      'fields.key: has others, but no values',
    ],
    [
      'a negated text',
      withFields({ key: { column: 'A', negate: true } }),
      "fields.key: isn't an amount",
    ],
    [
      'an unknown rule for empty cells',
      withFields({ key: { column: 'A', empty: 'zero' } }),
      'fields.key.empty: must be',
    ],
    ['a column with the number 0', withFields({ key: { column: 0 } }), 'fields.key.column: '],
    [
      'periods in a field and in headings',
      {
        ...mapping,
        records: [{ type: 'metric', fields, period_columns: { formats: ['YYYY-MM-DD'] } }],
      },
      'fields.period: must be absent, because the headings of period_columns contain the period; records.0.fields.raw_value: may contain',
    ],
    [
      'periods without headings',
      {
        ...mapping,
        header: false,
        records: [{ type: 'metric', fields, period_columns: { days: { A: '2026-01-31' } } }],
      },
      'records.0.period_columns: needs a header',
    ],
    [
      'period columns for accounts',
      { ...mapping, records: [{ type: 'account', period_columns: { days: {} } }] },
      'records.0.period_columns: is for metrics',
    ],
  ])('is rejected if it has %s', (_, document, reason) => {
    expect(() => parse(document)).toThrow(`the mapping m.json is invalid: `);
    expect(() => parse(document)).toThrow(reason);
  });

  test('is rejected if it isn’t JSON', () => {
    expect(() => parseMapping('{', 'm.json')).toThrow('the mapping m.json is not JSON: ');
  });
});
