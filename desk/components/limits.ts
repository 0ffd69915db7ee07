import type { AccessRequest, AccessTerms } from '#core';
import { fact, type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { metricNameOf } from '../metric-words.ts';
import type { Labels } from './records.ts';
import { fillMessage, formatDate, formatExactly } from './time.ts';

function limitsInWords(
  terms: AccessTerms | null,
  nameMetrics: (keys: readonly string[]) => string,
  language: Language,
): readonly (Html | string)[] {
  const { limits: words } = language.m;
  const { metricKeys = null, historyFrom = null, use } = terms ?? {};
  return [
    metricKeys && nameMetrics(metricKeys),
    historyFrom && fillMessage(words.from, formatDate(historyFrom, language)),
    use === 'once' ? words.once : null,
  ].filter((each) => each !== null);
}

/** @param labels the names of metrics, by key. A metric without a label appears with its usual name. */
export function limitList(
  terms: AccessTerms | null,
  language: Language,
  labels?: Labels,
): Html | string {
  const { m, format } = language;
  const nameOf = (key: string) => labels?.get(key) ?? metricNameOf(key, language);
  const nameMetrics = (keys: readonly string[]) => m.limits.only(format.list(keys.map(nameOf)));
  const limits = limitsInWords(terms, nameMetrics, language);
  return limits.length === 0
    ? m.limits.none
    : html`${limits.map((limit) => html`<div>${limit}</div>`)}`;
}

/** Adds the limits in one line, with the number of metrics instead of their names. */
export function withLimits(text: string, terms: AccessTerms | null, language: Language): Html {
  const { m, format } = language;
  const nameMetrics = ({ length }: readonly string[]) =>
    m.limits.onlySome(length, format.number(length));
  const limits = limitsInWords(terms, nameMetrics, language);
  return html`${text}${limits.map((limit) => html` · ${limit}`)}`;
}

/** Omits limits that don't exist. */
export function limitFacts(
  { status, requestedTerms, approvedTerms, pendingTerms, pausedAt }: AccessRequest,
  language: Language,
  labels?: Labels,
): readonly (Html | string)[] {
  const { limits: words } = language.m;
  const named = (name: string, terms: AccessTerms | null) =>
    terms === null ? nothing : fact(name, limitList(terms, language, labels));
  return [
    status === 'approved' ? named(words.title, approvedTerms) : named(words.asked, requestedTerms),
    named(words.asked, pendingTerms),
    pausedAt === null ? nothing : fact(words.pausedSince, formatExactly(pausedAt, language)),
  ];
}

export const pausedBadge = (
  { pausedAt }: Pick<AccessRequest, 'pausedAt'>,
  { m }: Language,
): Html | string =>
  pausedAt === null ? nothing : html` <span class="badge pending">${m.limits.paused}</span>`;
