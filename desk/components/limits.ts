import { type AccessRequest, type AccessTerms, simplifyTerms } from '#core';
import { fact, type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { metricNameOf } from '../metric-words.ts';
import type { Labels } from './records.ts';
import { formatExactly } from './time.ts';

export const metricNames = (
  keys: readonly string[],
  language: Language,
  labels?: Labels,
): readonly string[] => keys.map((key) => labels?.get(key) ?? metricNameOf(key, language));

function firstPeriod(historyFrom: string, { m, format }: Language): string {
  const day = new Date(historyFrom);
  return m.limits.from(historyFrom.endsWith('-01') ? format.month(day) : format.date(day));
}

/** Lists the limits in words. */
export function limitList(
  terms: AccessTerms | null,
  language: Language,
  labels?: Labels,
): Html | string {
  const { m, format } = language;
  const words = m.limits;
  if (terms === null) return words.none;
  const { metricKeys, historyFrom, use } = terms;
  return html`<ul class="limits">${metricKeys && html`<li>${words.only(format.list(metricNames(metricKeys, language, labels)))}</li>`}
${historyFrom && html`<li>${firstPeriod(historyFrom, language)}</li>`}
${use === 'once' ? html`<li>${words.once}</li>` : nothing}</ul>`;
}

/** Returns the limits in one line, with the number of metrics instead of their names. Empty without limits. */
export function limitsInShort(terms: AccessTerms | null, language: Language): string {
  if (terms === null) return '';
  const { m, format } = language;
  const { metricKeys, historyFrom, use } = terms;
  return [
    metricKeys && m.limits.onlySome(metricKeys.length, format.number(metricKeys.length)),
    historyFrom && firstPeriod(historyFrom, language),
    use === 'once' && m.limits.onceOnly,
  ]
    .filter((each) => each)
    .join(' · ');
}

export const limitsHint = (terms: AccessTerms | null, language: Language): Html | string =>
  terms === null ? nothing : html`<br><span class="hint">${limitsInShort(terms, language)}</span>`;

/** The requested, granted and additional limits, and the pause. Limits that don't exist are left out. */
export function limitFacts(
  request: AccessRequest,
  language: Language,
  labels?: Labels,
): readonly (Html | string)[] {
  const { limits: words } = language.m;
  const { status, requestedTerms, approvedTerms, pendingTerms, pausedAt } = request;
  const list = (terms: AccessTerms | null) => limitList(terms, language, labels);
  const isGrant = status === 'approved';
  return [
    !isGrant && requestedTerms !== null ? fact(words.asked, list(requestedTerms)) : nothing,
    isGrant && approvedTerms !== null ? fact(words.title, list(approvedTerms)) : nothing,
    pendingTerms === null ? nothing : fact(words.asked, list(simplifyTerms(pendingTerms))),
    pausedAt === null ? nothing : fact(words.pausedSince, formatExactly(pausedAt, language)),
  ];
}

export const pausedBadge = (
  { pausedAt }: Pick<AccessRequest, 'pausedAt'>,
  { m }: Language,
): Html | string =>
  pausedAt === null ? nothing : html` <span class="badge pending">${m.limits.paused}</span>`;
