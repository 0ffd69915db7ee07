import { isDeepStrictEqual } from 'node:util';
import type { TermsPlan } from './plan.ts';
import type { Company, MetricPeriod } from './state.ts';

/** Null means no limits. */
export type Terms = TermsPlan | null;

export const noLimits: TermsPlan = { use: 'ongoing', metricKeys: null, historyFrom: null };

const simplify = (terms: TermsPlan): Terms => (isDeepStrictEqual(terms, noLimits) ? null : terms);

export const termsOf = (plan: TermsPlan | null): Terms => simplify(plan ?? noLimits);

/** Allows what at least one of the two allows. */
export function unite(one: Terms, other: Terms): Terms {
  const [a, b] = [one ?? noLimits, other ?? noLimits];
  return simplify({
    use: a.use === 'once' && b.use === 'once' ? 'once' : 'ongoing',
    metricKeys:
      a.metricKeys && b.metricKeys && [...new Set([...a.metricKeys, ...b.metricKeys])].toSorted(),
    historyFrom: a.historyFrom && b.historyFrom && [a.historyFrom, b.historyFrom].toSorted()[0],
  } as TermsPlan);
}

/** Allows what both allow. Without a common metric, the metrics of the first one stay. */
export function narrowTo(one: Terms, other: Terms): Terms {
  const [a, b] = [one ?? noLimits, other ?? noLimits];
  const common = (a.metricKeys ?? b.metricKeys)?.filter(
    (key) => b.metricKeys?.includes(key) ?? true,
  );
  return simplify({
    use: a.use === 'once' ? 'once' : b.use,
    metricKeys: common?.length ? common : a.metricKeys,
    historyFrom:
      [a.historyFrom, b.historyFrom].toSorted().findLast((from) => from !== null) ?? null,
  });
}

/** The terms of an addition after a narrowing. Approving them gives nothing back. */
export function withoutRemoved(added: TermsPlan, before: Terms, after: Terms): TermsPlan {
  const [was, is] = [before ?? noLimits, after ?? noLimits];
  const removed = was.metricKeys?.filter((key) => !is.metricKeys?.includes(key)) ?? [];
  const left = added.metricKeys?.filter((key) => !removed.includes(key)) ?? null;
  return {
    use: added.use === was.use ? is.use : added.use,
    metricKeys: was.metricKeys === null ? is.metricKeys : left,
    historyFrom: added.historyFrom === was.historyFrom ? is.historyFrom : added.historyFrom,
  };
}

export const isWithin = (inner: Terms, outer: Terms): boolean =>
  isDeepStrictEqual(unite(inner, outer), outer);

export const allowsKey = (terms: Terms, key: string): boolean =>
  terms?.metricKeys?.includes(key) ?? true;

export const allowsValue = (terms: Terms, { key, period }: MetricPeriod): boolean =>
  allowsKey(terms, key) && period >= (terms?.historyFrom ?? '');

/** Returns the company with only the values that the terms allow. */
export function withinTerms<Any extends Pick<Company, 'metrics' | 'revisions'>>(
  company: Any,
  terms: Terms,
): Any {
  const isAllowed = (value: MetricPeriod) => allowsValue(terms, value);
  const { metrics, revisions } = company;
  return {
    ...company,
    metrics: metrics.filter(isAllowed),
    revisions: revisions.filter(isAllowed),
  };
}
