import { z } from 'zod';
import { negativeForms, readDigits, scanAmount, type TakeUnit } from '#http';

export const thousandsSeparators = ['.', ',', ' ', "'", '’'] as const;

export const numberFormat = z
  .strictObject({
    decimal_mark: z.enum(['.', ',']),
    /** The separator between thousands. Amounts without it are accepted too. */
    thousands_separator: z.enum(thousandsSeparators).nullable().default(null),
    negative: z.array(z.enum(negativeForms)).default(['leading_minus']),
    /** Currencies and units before or after an amount, which are ignored. */
    symbols: z.array(z.string().trim().min(1).max(10)).max(100).default([]),
  })
  .refine((format) => format.decimal_mark !== format.thousands_separator, {
    path: ['thousands_separator'],
    error: 'must not be the decimal mark',
  });

export type NumberFormat = z.output<typeof numberFormat>;

/**
 * The returned function returns plain decimal text, for example `-1234.56`, or null for an amount in another format.
 */
export function createNumberReader(format: NumberFormat): (text: string) => string | null {
  const { decimal_mark, thousands_separator, negative, symbols } = format;
  const mark = decimal_mark === '.' ? 'point' : 'comma';
  const takeSymbol: TakeUnit = (text) => {
    const symbol = symbols.find((name) => text.startsWith(name) || text.endsWith(name));
    if (symbol === undefined) return [null, text];
    const { length } = symbol;
    return [symbol, text.startsWith(symbol) ? text.slice(length) : text.slice(0, -length)];
  };
  return (text) => {
    const amount = scanAmount(text, takeSymbol);
    if (amount.kind !== 'number') return null;
    const { sign, isPercent, written } = amount;
    // The separator is often a no-break space or a narrow space, so all spaces count as equal.
    const separators = written.replaceAll(/\d/g, '').replaceAll(/\s/g, ' ');
    const isInFormat =
      (sign === null || negative.includes(sign)) &&
      (!isPercent || symbols.includes('%')) &&
      [null, 'open', mark].includes(amount.mark) &&
      [...separators].every((each) => each === decimal_mark || each === thousands_separator);
    return isInFormat ? readDigits(amount, mark) : null;
  };
}

/** For error messages. */
export function exampleOf({ decimal_mark, thousands_separator }: NumberFormat): string {
  const separator = thousands_separator ?? '';
  return `1${separator}234${separator}567${decimal_mark}89`;
}

/** Has no rounding errors. Both amounts are plain decimal text. */
export function subtract(minuend: string, subtrahend: string): string {
  const scale = Math.max(fractionDigits(minuend), fractionDigits(subtrahend));
  const difference = scaled(minuend, scale) - scaled(subtrahend, scale);
  const text = `${difference < 0n ? -difference : difference}`.padStart(scale + 1, '0');
  const sign = difference < 0n ? '-' : '';
  if (scale === 0) return `${sign}${text}`;
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

export function negate(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

const fractionDigits = (amount: string): number => amount.split('.')[1]?.length ?? 0;

const scaled = (amount: string, scale: number): bigint =>
  BigInt(amount.replace('.', '') + '0'.repeat(scale - fractionDigits(amount)));
