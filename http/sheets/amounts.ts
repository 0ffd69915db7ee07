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

/** The amount in a cell, while the decimal mark isn't known yet. The rest of the file decides the mark. */
export type ScannedAmount =
  | {
      readonly kind: 'number';
      readonly sign: NegativeForm | null;
      /** The digits with all separators, as written in the cell. */
      readonly written: string;
      /** The digits with points and commas, but without spaces and apostrophes. */
      readonly digits: string;
      /** The decimal mark that this amount proves. `open` if both are possible. Null if it has no mark. */
      readonly mark: DecimalMark | 'open' | null;
      readonly isPercent: boolean;
      /** True for a number cell of a workbook: a decimal point, and the fraction 0.781 for 78.1%. */
      readonly isTyped: boolean;
      readonly currency: string | null;
    }
  | { readonly kind: 'empty' | 'dash' }
  | { readonly kind: 'flaw'; readonly flaw: AmountFlaw };

type ScannedNumber = Extract<ScannedAmount, { readonly kind: 'number' }>;

export const negativeForms = ['leading_minus', 'trailing_minus', 'parentheses'] as const;

type NegativeForm = (typeof negativeForms)[number];

/** Splits a text into a currency or unit and the rest. The first item is null if the text has no currency or unit. */
export type TakeUnit = (text: string) => readonly [string | null, string];

const createFlaw = (flaw: AmountFlaw): ScannedAmount => ({ kind: 'flaw', flaw });

/** Scans a cell. By default, `takeUnit` accepts any currency. */
export function scanAmount(cell: Cell | undefined, takeUnit = takeCurrency): ScannedAmount {
  if (cell === undefined) return { kind: 'empty' };
  if (typeof cell === 'string') return scanText(cell, takeUnit);
  switch (cell.kind) {
    case 'number': {
      const { text, isPercent, currency } = cell;
      const sign = text.startsWith('-') ? 'leading_minus' : null;
      const digits = text.replace('-', '');
      const number = { sign, digits, written: digits, mark: null, isPercent, currency } as const;
      return { kind: 'number', ...number, isTyped: true };
    }
    case 'error':
      return createFlaw(cell.text === '' ? 'not_calculated' : 'error_cell');
    case 'date':
      return createFlaw('date_in_amount');
    case 'flag':
      return createFlaw('not_a_number');
  }
}

/** A longer text can't be an amount that the service stores. */
const maxLength = 100;

const noFigures =
  /^(?:n\/?a|n\.\s?a\.|#n\/?a|k\.?\s?a\.?|n\.?\s?v\.?|tbd|tba|none|null|nan|\?+|\.{2,3}|…|x+)$/i;

function scanText(raw: string, takeUnit: TakeUnit): ScannedAmount {
  const text = raw.trim();
  if (text === '') return { kind: 'empty' };
  if (text.length > maxLength) return createFlaw('not_a_number');
  if (/^#+$/.test(text)) return createFlaw('narrow_column');
  if (noFigures.test(text)) return createFlaw('no_number');
  if (/^#[\p{L}\d/]+[!?]?$/u.test(text)) return createFlaw('error_cell');
  const { rest, sign, isPercent, currency } = unwrap(text, takeUnit);
  if (rest === '' && sign !== null && !isPercent) return { kind: 'dash' };
  const digits = withoutGroups(rest);
  if (digits === null) return createFlaw(flawOf(text, rest));
  const mark = markOf(digits.text, digits.isDecimal);
  if (mark === undefined) return createFlaw('not_a_number');
  const number = { digits: digits.text, written: rest, mark, sign, isPercent, currency };
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

/** Removes a sign, a unit and a percent sign. They may come in any order. */
function unwrap(text: string, takeUnit: TakeUnit) {
  let rest = text;
  let sign: NegativeForm | '+' | null = null;
  let currency: string | null = null;
  let isPercent = false;
  for (;;) {
    const before = rest;
    rest = rest.trim();
    if (sign === null && /^\(.*\)$/.test(rest)) [sign, rest] = ['parentheses', rest.slice(1, -1)];
    else if (sign === null && rest.startsWith('+')) [sign, rest] = ['+', rest.slice(1)];
    else if (sign === null && /^[-‐‑‒–—−]/.test(rest))
      [sign, rest] = ['leading_minus', rest.slice(1)];
    else if (sign === null && /[-‐‑‒–—−]$/.test(rest))
      [sign, rest] = ['trailing_minus', rest.slice(0, -1)];
    else if (!isPercent && /%$/.test(rest)) [isPercent, rest] = [true, rest.slice(0, -1)];
    else if (currency === null) [currency, rest] = takeUnit(rest);
    if (rest === before) break;
  }
  return { rest, sign: sign === '+' ? null : sign, isPercent, currency };
}

function takeCurrency(text: string): readonly [string | null, string] {
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

/** Spaces and apostrophes separate thousands, so a point or comma in the same number is the decimal mark. */
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

/** Returns the decimal mark that the digits prove. Returns undefined if the digits aren't a number. */
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
export function readDigits({ digits, sign, isTyped }: ScannedNumber, mark: DecimalMark): string {
  const [thousands, decimal] = isTyped || mark === 'point' ? [',', '.'] : ['.', ','];
  const plain = plainDecimal(digits.replaceAll(thousands, '').replace(decimal, '.'));
  return sign !== null && plain !== '0' ? `-${plain}` : plain;
}
