import { type Decimal, formatAmount, parseDecimal } from './decimal.ts';

interface ShownNumber {
  readonly digits: bigint;
  /** The power of ten: the number is `digits` × 10 ^ `exponent`. */
  readonly exponent: number;
  readonly isPercent: boolean;
  /** The text after the number, such as `%` or ` months`. Null if the text has a currency or a scale such as `k`. */
  readonly unit: string | null;
}

const space = ' \\u00a0\\u2009\\u202f';
const between = `'’${space}`;
const firstNumber = new RegExp(`\\.?\\d(?:[\\d.,${between}]*\\d)?`);
const withPoint = new RegExp(
  `^(?:\\d+|\\d{1,3}(?:[,${between}]\\d{3})+|\\d{1,2}(?:,\\d{2})+,\\d{3})?(?:\\.\\d+)?$`,
);
/** Matches a decimal comma. It is tried only after `withPoint`, so `1,204` is more than a thousand. */
const withComma = new RegExp(`^(?:\\d+|\\d{1,3}(?:[.${between}]\\d{3})+)(?:,\\d+)?$`);

const scales: ReadonlyMap<string, number> = new Map([
  ...['k', 'thousand', 'thousands', 'tsd', 'tausend'].map((word) => [word, 3] as const),
  ...['lakh', 'lakhs'].map((word) => [word, 5] as const),
  ...['m', 'mm', 'mn', 'mln', 'mio', 'million', 'millions', 'millionen'].map(
    (word) => [word, 6] as const,
  ),
  ...['crore', 'crores'].map((word) => [word, 7] as const),
  ...['b', 'bn', 'md', 'mld', 'mrd', 'mia', 'billion', 'billions', 'milliarden'].map(
    (word) => [word, 9] as const,
  ),
  ...['t', 'tn', 'trillion', 'trillions', 'billionen'].map((word) => [word, 12] as const),
]);
const firstWord = new RegExp(`^([${space}]?)(\\p{L}+)`, 'u');

const minus = '-−‐‑‒–—﹣－';
const minusBefore = new RegExp(`(?<!\\p{L})[${minus}]|[${minus}]$`, 'u');
const minusAfter = new RegExp(`^[${minus}](?![\\p{L}\\d])`, 'u');
const parenthesisBefore = /\([^()\p{Ll}]*$/u;
/** Matches a second number in the text. A digit inside a word isn't one: it belongs to a unit such as CO2. */
const furtherNumber = /(?<![\p{L}\d])\d|^(?:e[-+]?| ?x ?)\d/iu;

function readShown(text: string): ShownNumber | null {
  const found = firstNumber.exec(text);
  if (found === null) return null;
  const [number] = found;
  const head = text.slice(0, found.index);
  const rest = text.slice(found.index + number.length);
  if (furtherNumber.test(rest)) return null;
  const mark = withPoint.test(number) ? '.' : withComma.test(number) ? ',' : null;
  if (mark === null) return null;
  const [whole = '', fraction = ''] = number.split(mark);
  const scale = readScale(rest);
  const tail = rest.slice(scale.length);
  const isInParentheses = parenthesisBefore.test(head) && tail.includes(')');
  const isNegative = isInParentheses || minusBefore.test(head) || minusAfter.test(tail);
  const magnitude = BigInt((whole + fraction).replaceAll(/\D/g, ''));
  const isUnit = tail.length <= maxUnitLength && !minusAfter.test(tail);
  return {
    digits: isNegative ? -magnitude : magnitude,
    exponent: scale.exponent - fraction.length,
    isPercent: tail.trimStart().startsWith('%'),
    unit: scale.length === 0 && signAlone.test(head) && isUnit ? tail : null,
  };
}

const signAlone = new RegExp(`^[${minus}]?$`);
const maxUnitLength = 40;

/**
 * Reads a scale such as `k` or `M`. After a space, a single lower-case letter or `mm` is a unit instead of a scale. So
 * `48 t` means tonnes, but `48t` and `48 T` mean trillions.
 */
function readScale(rest: string): { readonly exponent: number; readonly length: number } {
  const [all = '', gap = '', word = ''] = firstWord.exec(rest) ?? [];
  const isUnit = gap !== '' && /^(?:\p{Ll}|mm)$/u.test(word);
  const exponent = isUnit ? undefined : scales.get(word.toLowerCase());
  return exponent === undefined ? { exponent: 0, length: 0 } : { exponent, length: all.length };
}

function isRounding({ digits, exponent }: ShownNumber, amount: Decimal, shift = 0): boolean {
  const [whole = '', fraction = ''] = amount.split('.');
  const decimalPlaces = Math.max(fraction.length, shift - exponent);
  const exact = BigInt(whole + fraction.padEnd(decimalPlaces, '0'));
  const unit = 10n ** BigInt(exponent - shift + decimalPlaces);
  const difference = 2n * (exact - digits * unit);
  return difference <= unit && -difference <= unit;
}

/** The power of ten between a fraction and its percentage: 0.781 is shown as 78.1%. */
const percent = 2;

/**
 * Returns true if a display text shows the amount, exactly or rounded to the shown digits. Accepts thousands
 * separators, currencies, units, signs, parentheses for negative numbers, and scales such as K, M, B or T.
 */
export function showsAmount(text: string, amount: Decimal): boolean {
  const shown = readShown(text);
  if (shown === null) return false;
  return isRounding(shown, amount) || (shown.isPercent && isRounding(shown, amount, percent));
}

const currencyCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const codeAtNumber = /\b([A-Z]{3})[^\p{L}\d]*\d|\d[^\p{L}\d]*([A-Z]{3})\b/gu;

/** Caches the symbol of each currency, because creating a number format is slow. */
const symbols = new Map<string, string>();

const symbolOf = (currency: string): string =>
  symbols.getOrInsertComputed(currency, () =>
    new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
      .formatToParts(0)
      .filter(({ type }) => type === 'currency')
      .map(({ value }) => value)
      .join(''),
  );

/** Returns true if the text has the sign or code of another currency. `$` fits every kind of dollar. */
export function namesOtherCurrency(text: string, currency: string): boolean {
  const signs = text.normalize('NFKC').match(/\p{Sc}/gu) ?? [];
  const codes = [...text.matchAll(codeAtNumber)].map(([, ...groups]) => groups.join(''));
  return (
    signs.some((sign) => !symbolOf(currency).includes(sign)) ||
    codes.some((code) => code !== currency && currencyCodes.has(code))
  );
}

/** Splits a text such as `12.5 months` into number and unit. Returns null for any other text. */
export function readQuantity(
  text: string,
): { readonly number: Decimal; readonly unit: string } | null {
  const shown = readShown(text);
  if (shown === null || shown.unit === null) return null;
  const number = parseDecimal(`${shown.digits}e${shown.exponent}`);
  return number && { number, unit: shown.unit };
}

interface ShownAmount {
  readonly rawValue: Decimal;
  readonly currency: string | null;
  readonly value: string;
}

export function formatLike(amount: Decimal, currency: string | null, other: ShownAmount): string {
  const shown = currency === null && other.currency === null ? readShown(other.value) : null;
  if (shown === null) return formatAmount(amount, currency);
  const isOfFraction = shown.isPercent && !isRounding(shown, other.rawValue);
  const displayed = isOfFraction ? parseDecimal(`${amount}e${percent}`) : amount;
  return displayed === null
    ? formatAmount(amount, currency)
    : `${formatAmount(displayed, null)}${shown.unit ?? ''}`;
}
