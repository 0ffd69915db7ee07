import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Decimal,
  formatAmount,
  formatLike,
  namesOtherCurrency,
  parseDecimal,
  readQuantity,
  showsAmount,
} from '#core';
import { propertyRuns } from '../../../support/property-runs.ts';

const decimal = (text: string): Decimal => parseDecimal(text) ?? expect.fail(text);

describe('the comparison of a number with its display text', () => {
  test.each([
    ['7060809.1', '$7,060,809.10'],
    ['7060809.1', '$7,060,809'],
    ['7060809.1', '$7.06M'],
    ['7060809.1', '$7M'],
    ['7060809.1', '7.06 million'],
    ['7060809.1', '7,061K'],
    ['7060809.1', 'USD 7 060 809.10'],
    ['7060809.1', '7.060.809,10 €'],
    ['7060809.1', '7\u202f060\u202f809,10\u00a0€'],
    ['7060809.1', "CHF 7'060'809.10"],
    ['7060809.1', '₹70,60,809.10'],
    ['7060809.1', '7,1 Mio. €'],
    ['2500000000', '2.5bn'],
    ['2500000000000', '2.5 T'],
    ['2500000000000', '2.5t'],
    ['48', '48'],
    ['48', '48 t CO2'],
    ['48', '48 months'],
    ['48', 'about "48", at most'],
    ['48', '48 MXN'],
    ['48', '48 mm'],
    ['48000000', '$48MM'],
    ['48000', '48 Tsd. €'],
    ['0.5', '.5'],
    ['0.5', '0,5'],
    ['77.34', '77.3%'],
    ['77.34', '77.3 %'],
    ['77.34', '77%'],
    ['0.781', '78.1%'],
    ['0.000000000001', '0.0000000001%'],
    ['-1.5', '-$1.50'],
    ['-1.5', '$-1.50'],
    ['-1.5', 'EUR-1.50'],
    ['-1.5', '−1.5'],
    ['-1.5', '–1.5'],
    ['-1.5', '($1.50)'],
    ['-1.5', '(1.5%)'],
    ['-1.5', '1.50- €'],
    ['5', 'year-end 5'],
    ['5', '5-year'],
    ['5', '5 (estimate)'],
    ['5', '(5'],
    ['0.5', '1'],
    ['0.5', '0'],
    ['1204', '1,204'],
    ['1.204', '1.204'],
  ])('the number %s matches the text %s', (amount, text) => {
    expect(showsAmount(text, decimal(amount))).toBe(true);
  });

  test.each([
    ['81.2', '77.3%'],
    ['7060809.1', '$7.05M'],
    ['7060809.1', '$7,060,808'],
    ['7.06', '$7.06M'],
    ['1.5', '-1.5'],
    ['-1.5', '1.5'],
    ['1.5', '(1.5)'],
    ['1.5', '–1.5'],
    ['1.5', '\uff0d1.5'],
    ['1.5', '1.5e3'],
    ['1.5', '1.5x10'],
    ['48', '$48MM'],
    ['48', '$48mm'],
    ['48', '48 Tsd. €'],
    ['48', '48 crore'],
    ['1204', '1.204'],
    ['1.204', '1,204'],
    ['12', 'twelve'],
    ['12', 'Q1 12'],
    ['12', '12 of 15'],
    ['12', '12 MIO2 7'],
    ['123456', '1234,56'],
    ['1234.56', '1,2,3.4'],
    ['78.1', '0.781%'],
    ['781', '78.1%'],
  ])('the number %s doesn’t match the text %s', (amount, text) => {
    expect(showsAmount(text, decimal(amount))).toBe(false);
  });
});

const amounts = fc
  .tuple(
    fc.bigInt({ min: -(10n ** 37n) + 1n, max: 10n ** 37n - 1n }),
    fc.integer({ min: 0, max: 25 }),
  )
  .map(([digits, places]) =>
    decimal(`${digits}e-${places}`.replace(/^(-?)(\d+)e-(\d+)$/, shorten)),
  );

/** Keeps at most 25 digits before the decimal point. */
function shorten(_: string, sign: string, digits: string, places: string): string {
  const point = Math.max(0, digits.length - Number(places));
  return `${sign}${digits.slice(0, point).slice(-25) || '0'}.${digits.slice(point) || '0'}`;
}

const currencies = fc.constantFrom(null, ...Intl.supportedValuesOf('currency'));

describe('the text of a formatted number', () => {
  test('matches its number in every currency if formatAmount created the text', () => {
    fc.assert(
      fc.property(amounts, currencies, (amount, currency) => {
        expect(showsAmount(formatAmount(amount, currency), amount)).toBe(true);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test('of a whole number matches no other whole number', () => {
    const money = fc.integer({ min: -(10 ** 12), max: 10 ** 12 });
    fc.assert(
      fc.property(money, money, currencies, (one, other, currency) => {
        const isSame = one === other;
        const text = formatAmount(decimal(String(one)), currency);
        expect(showsAmount(text, decimal(String(other)))).toBe(isSame);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test('matches its number in every English notation of Intl.NumberFormat', () => {
    const notations = fc.constantFrom<Intl.NumberFormatOptions>(
      { notation: 'compact' },
      { notation: 'compact', compactDisplay: 'long' },
      { currencySign: 'accounting', style: 'currency', currency: 'USD' },
      { style: 'currency', currency: 'EUR', currencyDisplay: 'code' },
      { style: 'currency', currency: 'EUR', currencyDisplay: 'name' },
      { maximumSignificantDigits: 4, notation: 'compact' },
      { style: 'percent', maximumFractionDigits: 2 },
      { maximumFractionDigits: 1 },
      { style: 'unit', unit: 'month', unitDisplay: 'long' },
    );
    const numbers = fc.double({ min: -9e14, max: 9e14, noDefaultInfinity: true, noNaN: true });
    fc.assert(
      fc.property(numbers, notations, (number, notation) => {
        const amount = decimal(number.toFixed(3));
        const text = new Intl.NumberFormat('en', notation).format(amount as `${number}`);
        expect(showsAmount(text, amount), text).toBe(true);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });
});

describe('the display text of a new number, in the style of an existing text', () => {
  test.each([
    ['81.2', '77.3', '77.3%', '81.2%'],
    ['81.2', '-77.3', '-77.3 %', '81.2 %'],
    ['-1', '35.74', '35.7 months', '-1 months'],
    ['0.79', '0.781', '78.1%', '79%'],
    ['1234.5', '48', '48', '1,234.5'],
    ['49', '48', 'forty-eight', '49'],
    ['49', '48', 'about 48 people', '49'],
    ['49', '48000', '48K people', '49'],
    ['-49', '-48', '48- points', '-49'],
    ['49', '48', `48 ${'x'.repeat(40)}`, '49'],
    ['9'.repeat(25), '0.781', '78.1%', formatAmount(decimal('9'.repeat(25)), null)],
  ])(
    'copies the style: the new number %s, next to the number %s with the text “%s”, gets the text “%s”',
    (amount, rawValue, value, expected) => {
      const other = { rawValue: decimal(rawValue), value, currency: null };
      expect(formatLike(decimal(amount), null, other)).toBe(expected);
    },
  );

  test.each([
    ['USD', 'USD', '$5.50'],
    ['USD', null, '$5.50'],
    [null, 'USD', '5.5'],
  ])(
    'uses the currency of the new number if this number has %s and the other value has %s',
    (currency, before, expected) => {
      const other = { rawValue: decimal('77.3'), value: '77.3%', currency: before };
      expect(formatLike(decimal('5.5'), currency, other)).toBe(expected);
    },
  );
});

test.each([
  ['12.5 months', '12.5', ' months'],
  ['1,204', '1204', ''],
  ['-3.0%', '-3', '%'],
  ['48t', null, null],
  ['$5', null, null],
  ['about 30', null, null],
  ['1 of 2', null, null],
])('the text %s is parsed as the number %s with the unit %j', (text, number, unit) => {
  expect(readQuantity(text)).toEqual(number === null ? null : { number, unit });
});

describe('a display text', () => {
  test.each([
    ['€1,000', 'USD'],
    ['1.000 €', 'CHF'],
    ['$1,000', 'EUR'],
    ['£5', 'EUR'],
    ['￥5', 'USD'],
    ['1,000 EUR', 'USD'],
    ['EUR 1,000', 'USD'],
    ['(EUR1,000)', 'USD'],
    ['1,000EUR', 'USD'],
    ['$1,000 (EUR 5)', 'USD'],
  ])('%s isn’t an amount in %s, because it contains another currency', (text, currency) => {
    expect(namesOtherCurrency(text, currency)).toBe(true);
  });

  test.each([
    ['1,000', 'USD'],
    ['$1,000', 'CAD'],
    ['A$1,000', 'AUD'],
    ['US$1.2M', 'USD'],
    ['£5', 'EGP'],
    ['¥5', 'CNY'],
    ['￥5', 'JPY'],
    ['1,000 CHF', 'CHF'],
    ['CHF 1’000', 'CHF'],
    ['5 ARR', 'USD'],
    ['USD 5 MRR', 'USD'],
    ['1 000,50 €', 'EUR'],
  ])('%s can be an amount in %s', (text, currency) => {
    expect(namesOtherCurrency(text, currency)).toBe(false);
  });

  test('created by the service can be an amount in its own currency', () => {
    for (const currency of Intl.supportedValuesOf('currency'))
      expect(namesOtherCurrency(formatAmount(decimal('1234.5'), currency), currency)).toBe(false);
  });
});
