import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDecimal } from '#core';
import { createDateReader, parseFormat } from '../../cli/import/csv/dates.ts';
import {
  createNumberReader,
  type NumberFormat,
  negate,
  subtract,
  thousandsSeparators,
} from '../../cli/import/csv/numbers.ts';
import { negativeForms } from '../../http/sheets/amounts.ts';
import { propertyRuns } from '../support/property-runs.ts';

const format = (changes: Partial<NumberFormat> = {}): NumberFormat => ({
  decimal_mark: '.',
  thousands_separator: null,
  negative: ['leading_minus'],
  symbols: [],
  ...changes,
});

const everyForm = format({
  negative: [...negativeForms],
  symbols: ['€', 'EUR'],
  thousands_separator: ',',
});

describe('a number', () => {
  test.each([
    ['0', '0'],
    ['007', '7'],
    ['000', '0'],
    ['.5', '0.5'],
    ['+1', '1'],
    ['1,234,567.89', '1234567.89'],
    ['1234567.89', '1234567.89'],
    ['-1', '-1'],
    ['−1', '-1'],
    ['1-', '-1'],
    ['(1)', '-1'],
    ['€ 1', '1'],
    ['1 EUR', '1'],
    ['-€1', '-1'],
    ['€-1', '-1'],
    ['(€1.50)', '-1.5'],
    ['–1', '-1'],
    ['12,34,567', '1234567'],
    ['-0', '0'],
    ['€ (1)', '-1'],
    ['1- €', '-1'],
    ['1 €-', '-1'],
  ])('%s is read as %s', (text, expected) => {
    expect(createNumberReader(everyForm)(text)).toBe(expected);
  });

  test.each([
    '',
    '.',
    '-',
    '€',
    '()',
    '1.',
    '1.2.3',
    '1,23',
    '1,234567',
    ',123',
    '1.234,5',
    '--1',
    '-1-',
    '(-1)',
    '€1€',
    '1e3',
    '1E+05',
    '0x10',
    'Infinity',
    'NaN',
    '١٢٣',
    '1 234',
    '$1',
    '1\n2',
    '9'.repeat(101),
  ])('is rejected if it is written as %j', (text) => {
    expect(createNumberReader(everyForm)(text)).toBeNull();
  });

  test.each(['-1', '1-', '(1)', '1,234', '1 €'])(
    '%s is rejected unless the mapping allows its form',
    (text) => {
      expect(createNumberReader(format({ negative: [] }))(text)).toBeNull();
    },
  );

  test('may use any kind of space as thousands separator', () => {
    const read = createNumberReader(format({ thousands_separator: ' ', decimal_mark: ',' }));
    for (const space of [' ', '\u00a0', '\u202f']) {
      expect(read(`-1${space}234${space}567,5`)).toBe('-1234567.5');
    }
  });

  const formats = fc
    .record({
      decimal_mark: fc.constantFrom('.' as const, ',' as const),
      thousands_separator: fc.constantFrom(null, ...thousandsSeparators),
      negative: fc.constantFrom(...negativeForms),
      symbol: fc.constantFrom('', '€', 'EUR', '%', 'kr.'),
      symbolFirst: fc.boolean(),
      space: fc.constantFrom('', ' ', '\u00a0'),
    })
    .filter(({ decimal_mark, thousands_separator }) => decimal_mark !== thousands_separator);
  const amounts = fc.tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 25n - 1n }),
    fc.option(fc.stringMatching(/^\d{1,12}$/), { nil: '' }),
  );

  test('keeps every digit when it is written and read in any format', () => {
    const property = fc.property(formats, amounts, (written, [isNegative, whole, fraction]) => {
      const { decimal_mark, thousands_separator, negative, symbol, symbolFirst, space } = written;
      const grouped = `${whole}`.replaceAll(/\B(?=(\d{3})+$)/g, thousands_separator ?? '');
      const digits = `${grouped}${fraction === '' ? '' : decimal_mark}${fraction}`;
      const signed = !isNegative
        ? digits
        : { leading_minus: `-${digits}`, trailing_minus: `${digits}-`, parentheses: `(${digits})` }[
            negative
          ];
      const text = symbolFirst ? `${symbol}${space}${signed}` : `${signed}${space}${symbol}`;
      const read = createNumberReader({
        decimal_mark,
        thousands_separator,
        negative: [negative],
        symbols: symbol === '' ? [] : [symbol],
      });
      const plain = `${isNegative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
      expect(read(text)).toBe(parseDecimal(plain));
    });
    fc.assert(property, { numRuns: propertyRuns(4000) });
  });

  test('can be subtracted from another number without a rounding error', () => {
    const decimals = fc.tuple(
      fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
      fc.nat({ max: 12 }),
    );
    const textOf = ([value, scale]: [bigint, number]) => {
      const digits = `${value < 0n ? -value : value}`.padStart(scale + 1, '0');
      const fraction = scale === 0 ? '' : `.${digits.slice(-scale)}`;
      return `${value < 0n ? '-' : ''}${digits.slice(0, digits.length - scale)}${fraction}`;
    };
    const property = fc.property(decimals, decimals, (a, b) => {
      const scaled = ([value, scale]: [bigint, number]) => value * 10n ** BigInt(12 - scale);
      const difference = subtract(textOf(a), textOf(b));
      const [whole = '', fraction = ''] = difference.split('.');
      expect(BigInt(`${whole}${fraction.padEnd(12, '0')}`)).toBe(scaled(a) - scaled(b));
    });
    fc.assert(property, { numRuns: propertyRuns(4000) });
    expect(subtract('1.5', '2')).toBe('-0.5');
    expect(negate(subtract('0', '1'))).toBe('1');
    expect(negate('1')).toBe('-1');
  });
});

const reader = (...formats: string[]) => createDateReader({ formats, utc_offset: '+01:00' });

describe('a date', () => {
  test.each([
    ['YYYY-MM-DD', '2026-01-31', '2026-01-31', '2026-01-31T00:00:00+01:00'],
    ['DD.MM.YYYY', '31.01.2026', '2026-01-31', '2026-01-31T00:00:00+01:00'],
    ['D.M.YY', '1.2.26', '2026-02-01', '2026-02-01T00:00:00+01:00'],
    ['M/D/YYYY', '2/1/2026', '2026-02-01', '2026-02-01T00:00:00+01:00'],
    ['YYYYMMDD', '20260131', '2026-01-31', '2026-01-31T00:00:00+01:00'],
    ['D MMM YYYY', '31  jan 2026', '2026-01-31', '2026-01-31T00:00:00+01:00'],
    ['YYYY-MM-DDTHH:mm:ssZ', '2026-01-31T04:05:06Z', '2026-01-31', '2026-01-31T04:05:06Z'],
    [
      'YYYY-MM-DDTHH:mm:ss.SSSZ',
      '2026-01-31T04:05:06.7+0530',
      '2026-01-31',
      '2026-01-31T04:05:06.700+05:30',
    ],
    ['DD/MM/YYYY H:mm', '31/01/2026 4:05', '2026-01-31', '2026-01-31T04:05:00+01:00'],
    ['M/D/YYYY h:mm A', '1/31/2026 12:05 am', '2026-01-31', '2026-01-31T00:05:00+01:00'],
    ['M/D/YYYY h:mm A', '1/31/2026 12:05 PM', '2026-01-31', '2026-01-31T12:05:00+01:00'],
    ['M/D/YYYY h:mm A', '1/31/2026 11:05 PM', '2026-01-31', '2026-01-31T23:05:00+01:00'],
    ['YYYY-MM-DD', '2024-02-29', '2024-02-29', '2024-02-29T00:00:00+01:00'],
    ['YYYY-MM-DD', '0001-01-01', '0001-01-01', '0001-01-01T00:00:00+01:00'],
  ])('is read in the format %s: %s is %s', (text, cell, day, instant) => {
    expect(reader(text)(cell)).toEqual({ day, instant });
  });

  test.each([
    ['YYYY-MM-DD', '2026-02-29'],
    ['YYYY-MM-DD', '2100-02-29'],
    ['YYYY-MM-DD', '2026-13-01'],
    ['YYYY-MM-DD', '2026-00-01'],
    ['YYYY-MM-DD', '2026-01-00'],
    ['YYYY-MM-DD', '2026-1-31'],
    ['YYYY-MM-DD', '2026-01-31 '],
    ['YYYY-MM-DD', '2026-01-31T00:00:00Z'],
    ['DD.MM.YYYY', '31.01.26'],
    ['DD.MM.YYYY', '31x01x2026'],
    ['YYYY-MM-DD HH:mm', '2026-01-31 24:00'],
    ['YYYY-MM-DD HH:mm', '2026-01-31 23:60'],
    ['YYYY-MM-DD HH:mm:ss', '2026-01-31 23:59:60'],
    ['YYYY-MM-DD h:mm A', '2026-01-31 0:10 PM'],
    ['YYYY-MM-DD h:mm A', '2026-01-31 13:10 PM'],
    ['MMM YYYY', 'Mäx 2026'],
    ['MMM-YY', 'Ja-24'],
  ])('is rejected in the format %s: %j', (text, cell) => {
    expect(reader(text)(cell)).toEqual({
      reason: `is not a date of the form ${text}`,
      isAmbiguous: false,
    });
  });

  test('of only a month becomes its first or last day, as the mapping defines', () => {
    const read = (month: 'first_day' | 'last_day') =>
      createDateReader({ formats: ['MM/YYYY'], utc_offset: 'Z', month })('02/2028');
    expect(read('first_day')).toMatchObject({ day: '2028-02-01' });
    expect(read('last_day')).toMatchObject({ day: '2028-02-29' });
  });

  test.each([
    ['Sept-25', '2025-09-30'],
    ['Okt 2025', '2025-10-31'],
    ['Mrz 25', '2025-03-31'],
    ['janv.-24', '2024-01-31'],
    ['Jan-24', '2024-01-31'],
    ['März 2025', '2025-03-31'],
    ['October 2025', '2025-10-31'],
    ['févr. 2026', '2026-02-28'],
  ])('may have a month name in English, German or French: %s', (cell, day) => {
    const formats = ['MMM-YY', 'MMM YY', 'MMM YYYY'];
    const read = createDateReader({ formats, utc_offset: 'Z', month: 'last_day' });
    expect(read(cell)).toMatchObject({ day });
  });

  test('is rejected if two formats read it as different days, but accepted if both read the same day', () => {
    const read = reader('DD/MM/YYYY', 'MM/DD/YYYY');
    expect(read('31/01/2026')).toMatchObject({ day: '2026-01-31' });
    expect(read('02/02/2026')).toMatchObject({ day: '2026-02-02' });
    expect(read('01/02/2026')).toEqual({
      reason: 'may be 2026-02-01 or 2026-01-02: the formats of the mapping allow both',
      isAmbiguous: true,
    });
  });

  test.each([
    '',
    'YYYY',
    'MM',
    'YYYY-YYYY-MM',
    'YYYY-MM-MMM',
    'YYYY-MM-DD Q',
    'yyyy-mm-dd',
    'YYYY-MM-DD HH:hh A',
    'YYYY-MM hh',
    'YYYY MM A',
    '20YY-MM',
  ])('can’t have the format %j', (text) => {
    expect(parseFormat(text)).toBeNull();
    expect(() => reader(text)).toThrow();
  });

  test('stays the same when it is written and read in any format', () => {
    const days = fc.date({
      min: new Date('1000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    const forms = fc.constantFrom(
      'YYYY-MM-DD',
      'DD.MM.YYYY',
      'M/D/YYYY',
      'YYYYMMDD',
      'D MMM YYYY',
      'MMM D, YYYY',
    );
    const names = [
      'Jan',
      'Feb',
      'Mar',
      'Apr',
      'May',
      'Jun',
      'Jul',
      'Aug',
      'Sep',
      'Oct',
      'Nov',
      'Dec',
    ];
    const property = fc.property(days, forms, (date, form) => {
      const day = date.toISOString().slice(0, 10);
      const [year = '', month = '', date_ = ''] = day.split('-');
      const text = form.replaceAll(
        /YYYY|MMM|MM|M|DD|D/g,
        (token) =>
          ({
            YYYY: year,
            MMM: names[Number(month) - 1] ?? '',
            MM: month,
            M: `${Number(month)}`,
            DD: date_,
            D: `${Number(date_)}`,
          })[token] ?? '',
      );
      expect(reader(form)(text)).toEqual({ day, instant: `${day}T00:00:00+01:00` });
    });
    fc.assert(property, { numRuns: propertyRuns(4000) });
  });
});
