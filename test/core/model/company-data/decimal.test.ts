import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Decimal, formatAmount, parseDecimal } from '#core';

describe('a decimal amount', () => {
  test.each([
    ['-0.00', '0'],
    ['-1250.50', '-1250.5'],
    ['1250000.000', '1250000'],
    ['1.5E+3', '1500'],
    ['1500e-3', '1.5'],
  ])('keeps every significant digit: %s becomes %s', (text, decimal) => {
    expect(parseDecimal(text)).toBe(decimal);
  });

  test.each([
    [`-${'9'.repeat(25)}.${'9'.repeat(25)}`, true],
    ['1e24', true],
    ['1e-25', true],
    ['1'.repeat(26), false],
    [`0.${'0'.repeat(25)}1`, false],
    ['1e25', false],
    ['1e-26', false],
    ['1e9999', false],
    ['1e-9999', false],
  ])(
    'can have 25 digits before and 25 after the decimal point: %s is accepted: %s',
    (text, accepted) => {
      expect(parseDecimal(text) !== null).toBe(accepted);
    },
  );

  test('can have more than 25 digits if the additional digits are only zeros', () => {
    expect(parseDecimal(`1.5${'0'.repeat(50)}`)).toBe('1.5');
    expect(parseDecimal(`0.${'0'.repeat(40)}12e40`)).toBe('0.12');
    expect(parseDecimal(`12${'0'.repeat(40)}e-41`)).toBe('1.2');
  });

  test('is refused with more than 100 digits or an exponent beyond ±100, whatever its value is', () => {
    expect(parseDecimal(`1.${'0'.repeat(99)}`)).toBe('1');
    expect(parseDecimal(`1.${'0'.repeat(100)}`)).toBeNull();
    expect(parseDecimal(`1${'0'.repeat(99)}e-99`)).toBe('1');
    expect(parseDecimal(`1${'0'.repeat(100)}e-100`)).toBeNull();
    expect(parseDecimal('0e100')).toBe('0');
    expect(parseDecimal('0e-100')).toBe('0');
    expect(parseDecimal('0e101')).toBeNull();
    expect(parseDecimal('0e-101')).toBeNull();
  });
});

test.each([
  '',
  '-',
  '.5',
  '5.',
  '+1',
  '--1',
  '1e',
  'e5',
  '1e1.5',
  '1e12345',
  '0x10',
  '1_000',
  '1,000',
  ' 1',
  '1 ',
  '1\n',
  'NaN',
  'Infinity',
  '١',
])('parsing %j as a number fails', (text) => {
  expect(parseDecimal(text)).toBeNull();
});

function unitsOf(text: string): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(text) ?? [];
  const units = BigInt(whole + fraction) * 10n ** BigInt(200 - fraction.length + Number(exponent));
  return sign === '-' ? -units : units;
}

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength, maxLength });

const numberTexts = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: digits(1, 30),
    fraction: fc.option(digits(1, 20), { nil: undefined }),
    exponent: fc.option(fc.integer({ min: -30, max: 30 }), { nil: undefined }),
    e: fc.constantFrom('e', 'E', 'e+'),
  })
  .map(({ sign, whole, fraction, exponent, e }) => {
    const point = fraction === undefined ? '' : `.${fraction}`;
    const mark = exponent !== undefined && exponent < 0 ? 'e' : e;
    return `${sign}${whole}${point}${exponent === undefined ? '' : `${mark}${exponent}`}`;
  });

test('a number within the limits is parsed exactly, and any other number is refused', () => {
  fc.assert(
    fc.property(numberTexts, (text) => {
      const units = unitsOf(text);
      const size = units < 0n ? -units : units;
      const fits = size < 10n ** 225n && units % 10n ** 175n === 0n;
      const decimal = parseDecimal(text);
      if (!fits) {
        expect(decimal).toBeNull();
        return;
      }
      expect(decimal).toMatch(/^(?:0|-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?)$/);
      expect(decimal).not.toBe('-0');
      expect(unitsOf(decimal ?? '')).toBe(units);
    }),
    { numRuns: 1000 },
  );
});

test('a number that JavaScript prints is parsed as the same number if it is within the limits', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (number) => {
      const decimal = parseDecimal(JSON.stringify(number));
      if (decimal !== null) expect(Number(decimal)).toBe(number === 0 ? 0 : number);
    }),
  );
});

const amount = (text: string) => text as Decimal;

describe('a formatted amount', () => {
  test.each([
    ['1250000.5', 'USD', '$1,250,000.50'],
    ['1250000', 'USD', '$1,250,000'],
    ['-1200', 'USD', '-$1,200'],
    ['0', 'EUR', '€0'],
    ['1999.999', 'USD', '$2,000'],
    ['5000', 'JPY', '¥5,000'],
    ['9007199254740993.01', 'USD', '$9,007,199,254,740,993.01'],
    ['-1250.123456789012', 'USD', '-$1,250.12'],
  ])('%s %s is shown as %s', (raw, currency, shown) => {
    expect(formatAmount(amount(raw), currency)).toBe(shown);
  });

  test.each([
    // The first row creates the number format, and the other rows use the cached format.
    ['-1250.123456789012', '-1,250.123456789012'],
    ['1234567.5', '1,234,567.5'],
    ['48', '48'],
  ])('%s without a currency is shown as %s, with every digit', (raw, shown) => {
    expect(formatAmount(amount(raw), null)).toBe(shown);
  });

  test('stays the same after many other currencies were formatted', () => {
    const currencies = Array.from(
      { length: 120 },
      (_, index) => `Q${String.fromCharCode(65 + (index % 26), 65 + Math.floor(index / 26))}`,
    );
    for (const currency of currencies) {
      expect(formatAmount(amount('-1.5'), currency)).toBe(`-${currency}\u00a01.50`);
    }
    expect(formatAmount(amount('1250000'), 'USD')).toBe('$1,250,000');
  });

  test('reuses the cached format of its currency, and the cache holds at most fifty formats', () => {
    const spy = vi.spyOn(Intl, 'NumberFormat');
    onTestFinished(() => spy.mockRestore());
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const currencies = ['X', 'Y'].flatMap((first) => letters.map((letter) => `${first}Q${letter}`));
    const madeForOneMoreRound = (count: number) => {
      const round = () => {
        for (const currency of currencies.slice(0, count)) formatAmount(amount('1'), currency);
      };
      round();
      round();
      spy.mockClear();
      round();
      return spy.mock.calls.length;
    };
    expect(madeForOneMoreRound(50)).toBe(0);
    expect(madeForOneMoreRound(51)).toBeGreaterThan(0);
  });
});
