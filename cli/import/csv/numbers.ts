import { z } from 'zod';

export const thousandsSeparators = ['.', ',', ' ', "'", '’'] as const;
export const negativeForms = ['leading_minus', 'trailing_minus', 'parentheses'] as const;

export const numberFormat = z
  .strictObject({
    decimal_mark: z.enum(['.', ',']),
    /** It may be left out, but not put elsewhere than before each three digits. */
    thousands_separator: z.enum(thousandsSeparators).nullable().default(null),
    negative: z.array(z.enum(negativeForms)).default(['leading_minus']),
    /** Currencies and units that may stand before or after an amount, and mean nothing. */
    symbols: z.array(z.string().trim().min(1).max(10)).max(100).default([]),
  })
  .refine((format) => format.decimal_mark !== format.thousands_separator, {
    path: ['thousands_separator'],
    error: 'must not be the decimal mark',
  });

/** How a file writes its amounts. Nothing is guessed: what is written otherwise is refused. */
export type NumberFormat = z.output<typeof numberFormat>;

/** Longer than any amount that can be stored, whatever stands around it. */
const maxLength = 100;

/** Reads an amount as plain decimal text, `-1234.56`; null when it is not of the format. */
export type ReadNumber = (text: string) => string | null;

export function createNumberReader(format: NumberFormat): ReadNumber {
  const digits = digitsOf(format);
  const separator = format.thousands_separator;
  return (text) => {
    if (text.length > maxLength) return null;
    const { rest, isNegative } = takeSign(text.trim(), format);
    const { whole = '', fraction = '' } = digits.exec(rest)?.groups ?? {};
    if (whole === '' && fraction === '') return null;
    const plain = separator === null ? whole : whole.replaceAll(/[^0-9]/g, '');
    const shortest = plain.replace(/^0+(?=\d)/, '') || '0';
    return `${isNegative ? '-' : ''}${shortest}${fraction === '' ? '' : `.${fraction}`}`;
  };
}

function digitsOf({ decimal_mark, thousands_separator }: NumberFormat): RegExp {
  // A space that separates thousands is often one that does not break, the narrow one in French.
  const separator =
    thousands_separator === ' ' ? '[ \u00a0\u202f]' : RegExp.escape(thousands_separator ?? '');
  const whole = separator === '' ? '\\d+' : `\\d+|\\d{1,3}(?:${separator}\\d{3})+`;
  return new RegExp(`^(?<whole>${whole})?(?:${RegExp.escape(decimal_mark)}(?<fraction>\\d+))?$`);
}

/** Takes away one sign and one symbol, in whatever order they stand. */
function takeSign(text: string, { negative, symbols }: NumberFormat) {
  let rest = text;
  let sign: string | null = null;
  let hasSymbol = false;
  for (;;) {
    const symbol = hasSymbol
      ? undefined
      : symbols.find((name) => rest.startsWith(name) || rest.endsWith(name));
    if (symbol !== undefined) {
      rest = rest.startsWith(symbol) ? rest.slice(symbol.length) : rest.slice(0, -symbol.length);
      hasSymbol = true;
    } else if (sign === null && /^[-−+]/.test(rest) && allowsLeading(rest, negative)) {
      sign = rest.charAt(0);
      rest = rest.slice(1);
    } else if (sign === null && /[-−]$/.test(rest) && negative.includes('trailing_minus')) {
      sign = '-';
      rest = rest.slice(0, -1);
    } else if (sign === null && /^\(.*\)$/.test(rest) && negative.includes('parentheses')) {
      sign = '-';
      rest = rest.slice(1, -1);
    } else {
      return { rest, isNegative: sign !== null && sign !== '+' };
    }
    rest = rest.trim();
  }
}

function allowsLeading(text: string, negative: NumberFormat['negative']): boolean {
  return text.startsWith('+') || negative.includes('leading_minus');
}

/** An amount in the form, as an example for who wrote another one. */
export function exampleOf({ decimal_mark, thousands_separator }: NumberFormat): string {
  const separator = thousands_separator ?? '';
  return `1${separator}234${separator}567${decimal_mark}89`;
}

/** The first amount without the second, exactly; both are plain decimal text. */
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
