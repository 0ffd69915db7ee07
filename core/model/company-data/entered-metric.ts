import { addDays } from '../time.ts';
import { type Decimal, parseDecimal } from './decimal.ts';
import { formatLike, readQuantity, showsAmount } from './display-text.ts';
import type { ImportedMetric, Metric } from './metric.ts';
import { isBeforeEnd, markPeriod } from './period.ts';

export type ValueMark = 'future' | 'old' | 'factor' | 'currency' | 'as_of' | 'case' | 'date';

export const entryMethods = ['upload', 'manual'] as const;

export type EntryMethod = (typeof entryMethods)[number];

interface Fields {
  readonly raw_value?: unknown;
  readonly value?: unknown;
  readonly source?: unknown;
  readonly verification?: unknown;
}

/**
 * Prepares a metric record that a person entered. Removes fields that a person can't vouch for, such as the confidence.
 * Also removes the display text, which is then formatted from the number. A percentage keeps its text, because a new
 * metric has no other sign of its unit.
 */
export function enteredFields(fields: Fields, method: EntryMethod): object {
  const { raw_value, value, source, verification } = fields;
  const entered = source instanceof Object ? source : {};
  const isSigned = (entered as { signature?: unknown }).signature !== undefined;
  const { verified } = (verification ?? {}) as { verified?: unknown };
  return {
    ...fields,
    value: isPercentOf(value, raw_value) ? value : undefined,
    confidence: undefined,
    revision: undefined,
    source: { ...entered, method },
    verification: isSigned && verified !== undefined ? { verified } : undefined,
  };
}

function isPercentOf(text: unknown, amount: unknown): boolean {
  if (typeof text !== 'string' || !text.endsWith('%')) return false;
  const exact = parseDecimal(JSON.stringify(amount) ?? '');
  return exact !== null && showsAmount(text, exact);
}

export interface EnteredMetric {
  readonly metric: ImportedMetric;
  /** True if the stored value has the entered number and currency. `metric` then gets all stored fields. */
  readonly isStored: boolean;
}

/**
 * Completes a value that a person entered with the fields of a stored value.
 *
 * @param nearest the stored value of the same period, or else of the nearest earlier period, or else of the nearest
 *   later period
 */
export function completeMetric(metric: ImportedMetric, nearest: Metric | null): EnteredMetric {
  if (nearest === null) return { metric, isStored: false };
  const { period, rawValue } = metric;
  const currency = metric.currency ?? nearest.currency;
  const isSame = nearest.rawValue === rawValue && nearest.currency === currency;
  if (!isSame || nearest.period !== period) {
    const like = formatLike(rawValue, currency, nearest);
    const value = hasUnit(metric.value) && !hasUnit(like) ? metric.value : like;
    return { metric: { ...metric, currency, value }, isStored: false };
  }
  const { value, confidence, source, asOf } = nearest;
  const { verified, sourceSignature } = nearest.verification;
  const verification = {
    verified,
    signed: false as const,
    ...(sourceSignature !== undefined && { sourceSignature }),
  };
  const stored = { currency, value, confidence, source, asOf, verification };
  return { metric: { ...metric, ...stored }, isStored: true };
}

const hasUnit = (text: string): boolean => (readQuantity(text)?.unit ?? '') !== '';

interface MarkContext {
  readonly nearest: Metric | null;
  readonly hasOwnAsOf: boolean;
  /** All metric keys of the company, including keys whose values are all voided. */
  readonly knownKeys: ReadonlySet<string>;
  readonly lowerKeys: ReadonlySet<string>;
  readonly now: Date;
}

export function findMarks(
  { key, period, rawValue, currency, asOf }: ImportedMetric,
  { nearest, hasOwnAsOf, knownKeys, lowerKeys, now }: MarkContext,
): readonly ValueMark[] {
  const isNew = !knownKeys.has(key);
  const found: readonly (ValueMark | null)[] = [
    markPeriod(period, now),
    nearest !== null && isFarFrom(rawValue, nearest.rawValue) ? 'factor' : null,
    nearest !== null && nearest.currency !== currency ? 'currency' : null,
    hasOwnAsOf && (isBeforeEnd(asOf, period) || asOf > addDays(now, 1)) ? 'as_of' : null,
    isNew && lowerKeys.has(key.toLowerCase()) ? 'case' : null,
    isNew && looksLikeDate.test(key) ? 'date' : null,
  ];
  return found.filter((mark) => mark !== null);
}

const suspiciousFactor = 50;

/** Returns true if one absolute value is many times the other. Returns false if one of the numbers is zero. */
function isFarFrom(one: Decimal, other: Decimal): boolean {
  const [small, large] = [Math.abs(Number(one)), Math.abs(Number(other))].toSorted(
    (a, b) => a - b,
  ) as [number, number];
  return small > 0 && large / small >= suspiciousFactor;
}

const month =
  '(?:jan|janv|feb|febr|fevr|mar|mars|mrz|apr|avr|may|mai|jun|juin|jul|juil|aug|aout|sep|sept|oct|okt|nov|dec|dez)';

/** Matches metric names that a spreadsheet turned into a date: `1-Mar`, `Mar-26`, `2026-03-01`, `1.3.2026`. */
const looksLikeDate = new RegExp(
  `^(?:\\d{1,2}[-.]${month}(?:[-.]\\d{2,4})?|${month}[-.]\\d{2,4}|\\d{4}-\\d{2}(?:-\\d{2})?|\\d{1,2}[-.]\\d{1,2}(?:[-.]\\d{2,4})?)$`,
  'i',
);
