import {
  type Account,
  formatAmount,
  labelOf,
  type Metric,
  type MetricRevision,
  readQuantity,
} from '#core';
import { translateMetricLabel } from '#http';
import type { Language } from './messages/index.ts';

export const knownWord = (words: Readonly<Record<string, string>>, word: string): string =>
  (Object.hasOwn(words, word) ? words[word] : undefined) ?? word;

/** Translates the name of a standard metric. Returns a company's own name unchanged. */
export const metricName = (label: string, language: Language): string =>
  isEnglish(language) ? label : translateMetricLabel(label, language.tag);

/** Labels and display texts are in English, so an English page shows them unchanged. */
const isEnglish = ({ tag }: Language): boolean => tag === 'en';

/** Translates the name of a metric if only its key is known. */
export const metricNameOf = (key: string, language: Language): string =>
  translateMetricLabel(labelOf(key), language.tag);

export function inLanguage<M extends Metric | MetricRevision>(metric: M, language: Language): M {
  const label = metricName(metric.label, language);
  const { value, rawValue, currency } = metric;
  if (rawValue === null || value === null) return { ...metric, label };
  return { ...metric, label, value: shownValue({ value, rawValue, currency }, language) };
}

/**
 * Reformats a display text only if it was generated from a number with a currency or a unit. Returns any other text
 * unchanged.
 */
export function shownValue(
  { value, rawValue, currency }: Pick<Metric, 'value' | 'rawValue' | 'currency'>,
  language: Language,
): string {
  const { m, format } = language;
  if (isEnglish(language)) return value;
  if (currency !== null)
    return value === formatAmount(rawValue, currency) ? format.amount(rawValue, currency) : value;
  const quantity = readQuantity(value);
  if (quantity === null) return value;
  const unit = quantity.unit.trim();
  const number = format.decimal(quantity.number);
  return unit === '' ? number : m.standard.quantity(number, knownWord(m.standard.units, unit));
}

export const balanceOf = (
  { balance, rawBalance, currency }: Pick<Account, 'balance' | 'rawBalance' | 'currency'>,
  language: Language,
): string => shownValue({ value: balance, rawValue: rawBalance, currency }, language);
