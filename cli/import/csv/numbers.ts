import { z } from 'zod';

export const thousandsSeparators = ['.', ',', ' ', "'", '’'] as const;
export const negativeForms = ['leading_minus', 'trailing_minus', 'parentheses'] as const;

export const numberFormat = z
  .strictObject({
    decimal_mark: z.enum(['.', ',']),
    /** Optional in an amount. If present, it must separate groups of three digits. */
    thousands_separator: z.enum(thousandsSeparators).nullable().default(null),
    negative: z.array(z.enum(negativeForms)).default(['leading_minus']),
    /** Currencies and units to ignore before or after an amount. */
    symbols: z.array(z.string().trim().min(1).max(10)).max(100).default([]),
  })
  .refine((format) => format.decimal_mark !== format.thousands_separator, {
    path: ['thousands_separator'],
    error: 'must not be the decimal mark',
  });

/** How a file writes its amounts. Amounts in other formats are rejected, never guessed. */
export type NumberFormat = z.output<typeof numberFormat>;

/** Longer than any amount that can be stored, including its sign and symbol. */
const maxLength = 100;

/** Returns an amount as plain decimal text, for example `-1234.56`. Returns null if it isn't in the format. */
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
  // The space between thousands is often a no-break space. French uses the narrow one.
  const separator =
    thousands_separator === ' ' ? '[ \u00a0\u202f]' : RegExp.escape(thousands_separator ?? '');
  const whole = separator === '' ? '\\d+' : `\\d+|\\d{1,3}(?:${separator}\\d{3})+`;
  return new RegExp(`^(?<whole>${whole})?(?:${RegExp.escape(decimal_mark)}(?<fraction>\\d+))?$`);
}

/** Removes one sign and one symbol, in any order. */
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

/** Returns an example of an amount in the format, for error messages. */
export function exampleOf({ decimal_mark, thousands_separator }: NumberFormat): string {
  const separator = thousands_separator ?? '';
  return `1${separator}234${separator}567${decimal_mark}89`;
}

/** Subtracts exactly. Both amounts are plain decimal text. */
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
