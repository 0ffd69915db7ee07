import type { Metric } from '#core';
import { type Html, html, nothing } from '../html.ts';

const width = 100;
const height = 24;

/**
 * The course of some values, as small as a word, with what it shows in words. Each value stands at its place in time; where
 * one reads from right to left, the style mirrors it.
 *
 * @param values oldest first
 * @param inWords what is said to whoever cannot see it
 */
export function sparkline(
  values: readonly Pick<Metric, 'period' | 'rawValue'>[],
  inWords: string,
): Html | string {
  if (values.length < 2) return nothing;
  const numbers = values.map(({ rawValue }) => Number(rawValue));
  const days = values.map(({ period }) => new Date(period).getTime());
  const x = scale(days, [0, width]);
  const y = scale(numbers, [height - 2, 2]);
  const points = days.map((day, index) => `${x(day)} ${y(numbers[index] ?? 0)}`);
  return html`<svg class="sparkline" role="img" aria-label="${inWords}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"><path d="M${points.join('L')}"/></svg>`;
}

/** Leads the least and the most of some values to the two ends; values that are all alike to the middle. */
function scale(values: readonly number[], [low, high]: readonly [number, number]) {
  const least = values.reduce((one, other) => Math.min(one, other));
  const most = values.reduce((one, other) => Math.max(one, other));
  const part = (value: number) => (most === least ? 0.5 : (value - least) / (most - least));
  return (value: number) => Number((low + part(value) * (high - low)).toFixed(1));
}
