import { type Cell, plainDecimal } from './sheet.ts';

export type DecimalMark = 'point' | 'comma';

export type AmountFlaw =
  | 'error_cell'
  | 'not_calculated'
  | 'narrow_column'
  | 'shortened'
  | 'abbreviated'
  | 'no_number'
  | 'date_in_amount'
  | 'not_a_number';

/** The amount in a cell, before the rest of the file decides the decimal mark. */
export type ScannedAmount =
  | {
      readonly kind: 'number';
      readonly isNegative: boolean;
      /** With points and commas, without spaces and apostrophes. */
      readonly digits: string;
      /** The proven decimal mark. Null without a mark. `open` if both are possible. */
      readonly mark: DecimalMark | 'open' | null;
      readonly isPercent: boolean;
      /** True for a number cell of a workbook, which has a point. A percent cell has a fraction: 0.781 for 78.1%. */
      readonly isTyped: boolean;
      readonly currency: string | null;
    }
  | { readonly kind: 'empty' | 'dash' }
  | { readonly kind: 'flaw'; readonly flaw: AmountFlaw };

export type ScannedNumber = Extract<ScannedAmount, { readonly kind: 'number' }>;

const flawed = (flaw: AmountFlaw): ScannedAmount => ({ kind: 'flaw', flaw });

export function scanAmount(cell: Cell | undefined): ScannedAmount {
  if (cell === undefined) return { kind: 'empty' };
  if (typeof cell === 'string') return scanText(cell);
  switch (cell.kind) {
    case 'number': {
      const { text, isPercent, currency } = cell;
      const [isNegative, digits] = [text.startsWith('-'), text.replace('-', '')];
      return { kind: 'number', isNegative, digits, mark: null, isPercent, isTyped: true, currency };
    }
    case 'error':
      return flawed(cell.text === '' ? 'not_calculated' : 'error_cell');
    case 'date':
      return flawed('date_in_amount');
    case 'flag':
      return flawed('not_a_number');
  }
}

/** No amount that can be stored is longer. */
const maxLength = 100;

const noFigures =
  /^(?:n\/?a|n\.\s?a\.|#n\/?a|k\.?\s?a\.?|n\.?\s?v\.?|tbd|tba|none|null|nan|\?+|\.{2,3}|…|x+)$/i;

function scanText(raw: string): ScannedAmount {
  const text = raw.trim();
  if (text === '') return { kind: 'empty' };
  if (text.length > maxLength) return flawed('not_a_number');
  if (/^#+$/.test(text)) return flawed('narrow_column');
  if (noFigures.test(text)) return flawed('no_number');
  if (/^#[\p{L}\d/]+[!?]?$/u.test(text)) return flawed('error_cell');
  const { rest, isNegative, isPercent, currency } = unwrap(text);
  if (rest === '' && isNegative && !isPercent) return { kind: 'dash' };
  const digits = withoutGroups(rest);
  if (digits === null) return flawed(flawOf(text, rest));
  const mark = markOf(digits.text, digits.isDecimal);
  if (mark === undefined) return flawed('not_a_number');
  const number = { digits: digits.text, mark, isNegative, isPercent, currency };
  return { kind: 'number', ...number, isTyped: false };
}

export const currencyCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

export const currencySymbols: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['$', 'USD'],
  ['US$', 'USD'],
  ['£', 'GBP'],
  ['¥', 'JPY'],
  ['₹', 'INR'],
  ['zł', 'PLN'],
  ['Fr.', 'CHF'],
  ['SFr.', 'CHF'],
]);
const signs = [...currencySymbols.keys()].toSorted((one, other) => other.length - one.length);

interface Unwrapped {
  readonly rest: string;
  readonly isNegative: boolean;
  readonly isPercent: boolean;
  readonly currency: string | null;
}

/** Removes a sign, a currency and a percent sign, in any order. */
function unwrap(text: string): Unwrapped {
  let rest = text;
  let sign: string | null = null;
  let currency: string | null = null;
  let isPercent = false;
  for (;;) {
    const before = rest;
    rest = rest.trim();
    if (sign === null && /^\(.*\)$/.test(rest)) [sign, rest] = ['-', rest.slice(1, -1)];
    else if (sign === null && /^[-‐‑‒–—−+]/.test(rest))
      [sign, rest] = [rest.charAt(0), rest.slice(1)];
    else if (sign === null && /[-‐‑‒–—−]$/.test(rest)) [sign, rest] = ['-', rest.slice(0, -1)];
    else if (!isPercent && /%$/.test(rest)) [isPercent, rest] = [true, rest.slice(0, -1)];
    else if (currency === null) [currency, rest] = takeCurrency(rest);
    if (rest === before) break;
  }
  return { rest, isNegative: sign !== null && sign !== '+', isPercent, currency };
}

function takeCurrency(text: string): [string | null, string] {
  const [, before, , after] = /^([A-Z]{3})?(.*?)([A-Z]{3})?$/.exec(text) ?? [];
  if (before !== undefined && currencyCodes.has(before)) return [before, text.slice(3)];
  if (after !== undefined && currencyCodes.has(after)) return [after, text.slice(0, -3)];
  for (const symbol of signs) {
    const name = currencySymbols.get(symbol) ?? null;
    if (text.startsWith(symbol)) return [name, text.slice(symbol.length)];
    if (text.endsWith(symbol)) return [name, text.slice(0, -symbol.length)];
  }
  return [null, text];
}

const gap = "[ \\u00a0\\u2009\\u202f'’]";
const grouped = new RegExp(`^\\d{1,3}(?:${gap}\\d{3})+(?<rest>[.,]\\d*)?$`);
const mixed = /^\d{1,3}(?:['’,]\d{3})+\.\d+$/;
const anyGap = new RegExp(gap, 'g');

/** Removes spaces and apostrophes. They separate thousands, so a mark after them is the decimal mark. */
function withoutGroups(
  text: string,
): { readonly text: string; readonly isDecimal: boolean } | null {
  if (/^[\d.,]+$/.test(text)) return /\d/.test(text) ? { text, isDecimal: false } : null;
  if (grouped.test(text)) return { text: text.replaceAll(anyGap, ''), isDecimal: true };
  return mixed.test(text) ? { text: text.replaceAll(/['’]/g, ''), isDecimal: false } : null;
}

const withPoint = /^(?:\d+|\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})?(?:\.\d+)?$/;
const withComma = /^(?:\d+|\d{1,3}(?:\.\d{3})+)?(?:,\d+)?$/;
const groupsOnly = /^0\d*[.,]\d{3}/;

/** Returns undefined if the digits aren't a number. */
function markOf(digits: string, isDecimal: boolean): ScannedNumber['mark'] | undefined {
  if (/^\d+$/.test(digits)) return null;
  if (isDecimal || groupsOnly.test(digits)) {
    if (/^\d*\.\d+$/.test(digits)) return 'point';
    return /^\d*,\d+$/.test(digits) ? 'comma' : undefined;
  }
  const isPoint = withPoint.test(digits);
  const isComma = withComma.test(digits);
  if (isPoint && isComma) return 'open';
  return isPoint ? 'point' : isComma ? 'comma' : undefined;
}

function flawOf(text: string, rest: string): AmountFlaw {
  if (/^[\d.,]+\s*e\s*[+-]?\d+$/i.test(rest)) return 'shortened';
  const scale =
    '(?:k|t|tsd|tausend|thousand|m|mn|mm|mio|million|millionen|millions|b|bn|mrd|billion|milliarden|milliards?)';
  const isScaled =
    new RegExp(`\\d\\s*${scale}\\.?\\s*(?:€|\\$|£|[a-z]{3})?\\s*\\)?$`, 'i').test(text) ||
    new RegExp(`^(?:${scale}\\.?\\s*(?:€|\\$|£|eur|usd|gbp|chf))\\s*[\\d.,-]`, 'i').test(text) ||
    /\d\s*[kt](?:€|\$|£|eur|usd|gbp|chf)\s*$/i.test(text);
  return isScaled ? 'abbreviated' : 'not_a_number';
}

/** Returns plain decimal text. */
export function readDigits(
  { digits, isNegative, isTyped }: ScannedNumber,
  mark: DecimalMark,
): string {
  const [thousands, decimal] = isTyped || mark === 'point' ? [',', '.'] : ['.', ','];
  const plain = plainDecimal(digits.replaceAll(thousands, '').replace(decimal, '.'));
  return isNegative && plain !== '0' ? `-${plain}` : plain;
}
