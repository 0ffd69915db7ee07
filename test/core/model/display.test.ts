import { describe, expect, test } from 'vitest';
import { type Decimal, formatAmount } from '#core';

const amount = (text: string) => text as Decimal;

describe('an amount for people', () => {
  test.each([
    ['1250000.5', 'USD', '$1,250,000.50'],
    ['1250000', 'USD', '$1,250,000'],
    ['-1200', 'USD', '-$1,200'],
    ['0', 'EUR', '€0'],
    ['1999.999', 'USD', '$2,000'],
    ['5000', 'JPY', '¥5,000'],
    ['9007199254740993.01', 'USD', '$9,007,199,254,740,993.01'],
  ])('%s %s reads %s', (raw, currency, shown) => {
    expect(formatAmount(amount(raw), currency)).toBe(shown);
  });

  test.each([
    ['48', '48'],
    ['1234567.5', '1,234,567.5'],
    ['0.123456789012', '0.123456789012'],
  ])('%s without a currency reads %s, with every digit', (raw, shown) => {
    expect(formatAmount(amount(raw), null)).toBe(shown);
  });

  test('reads the same, however many currencies came in between', () => {
    const currencies = Array.from(
      { length: 120 },
      (_, index) => `Q${String.fromCharCode(65 + (index % 26), 65 + Math.floor(index / 26))}`,
    );
    for (const currency of currencies) {
      expect(formatAmount(amount('-1.5'), currency)).toBe(`-${currency}\u00a01.50`);
    }
    expect(formatAmount(amount('1250000'), 'USD')).toBe('$1,250,000');
  });
});
