import type { MetricRevision } from '#core';
import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { longestStep } from './gaps.ts';

/** The marks of a value in a plot. The first mark is nearest to the value. */
export const marks = ['corrected', 'late'] as const;

type Mark = (typeof marks)[number];

export type Marks = ReadonlyMap<string, readonly Mark[]>;

/**
 * Returns the number and currency, which identify a value. The display text doesn't: two texts may show the same
 * number, and one text may show two numbers.
 */
const amountOf = ({ rawValue, currency }: MetricRevision): string => `${rawValue} ${currency}`;

/** Returns true if the number of a period has changed. A value that was only delivered again isn't a correction. */
export const isCorrected = (ofPeriod: readonly MetricRevision[]): boolean =>
  new Set(ofPeriod.map(amountOf)).size > 1;

const deliveryOf = ({ source }: MetricRevision): number => source.lastSynced.getTime();

/**
 * Finds corrected values and late values. A value is late if it arrived after its period counted as missing. A new
 * company may deliver old periods first. For those, the time counts from the company's first delivery. Expects the
 * oldest value first.
 */
export function marksOf(revisions: readonly MetricRevision[]): Marks {
  const byPeriod = [...Map.groupBy(revisions, ({ period }) => period)];
  const longest = longestStep(byPeriod.map(([period]) => ({ period })));
  const start = revisions.reduce((first, each) => Math.min(first, deliveryOf(each)), Infinity);
  const isLate = (period: string, [first]: readonly MetricRevision[]) =>
    first !== undefined &&
    deliveryOf(first) - Math.max(start, new Date(period).getTime()) > longest;
  return new Map(
    byPeriod.flatMap(([period, own]): [string, Mark[]][] => {
      const found = { corrected: isCorrected(own), late: isLate(period, own) };
      const names = marks.filter((mark) => found[mark]);
      return names.length === 0 ? [] : [[period, names]];
    }),
  );
}

export const markWords = (
  values: readonly { readonly period: string }[],
  marksByPeriod: Marks,
  { m, format }: Language,
): { readonly mark: Mark; readonly words: string }[] =>
  marks.flatMap((mark) => {
    const count = values.filter(({ period }) => marksByPeriod.get(period)?.includes(mark)).length;
    return count === 0 ? [] : { mark, words: m.data.markLegend[mark](format.number(count)) };
  });

export const markLegend = (entries: ReturnType<typeof markWords>): Html | string =>
  entries.length === 0
    ? nothing
    : html`<ul class="marks hint">${entries.map(
        ({ mark, words }) =>
          html`<li><svg class="key" viewBox="0 0 8 8" aria-hidden="true"><path class="mark ${mark}" d="M4 4h0"/></svg> ${words}</li>`,
      )}</ul>`;
