import type { Decimal } from './decimal.ts';

/** The amount for people, in English notation: `$1,250,000.50`, or `48` without a currency. */
export function formatAmount(amount: Decimal, currency: string | null): string {
  const options: Intl.NumberFormatOptions =
    currency === null
      ? { maximumFractionDigits: 12 }
      : { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' };
  return new Intl.NumberFormat('en-US', options).format(amount as `${number}`);
}
