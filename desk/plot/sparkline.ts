import type { Metric } from '#core';
import { type Html, html, nothing } from '../html.ts';

const width = 60;
const height = 16;

/**
 * Shows only the trend. The horizontal position of a value shows its date. Returns an empty text for a single value.
 *
 * @param inWords the text for screen readers, unless the page already has it next to the line
 */
export function sparkline(
  values: readonly Pick<Metric, 'period' | 'rawValue'>[],
  inWords?: string,
): Html | string {
  const points = values.map(({ period, rawValue }) => ({
    at: new Date(period).getTime(),
    value: Number(rawValue),
  }));
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || first === last) return nothing;
  const least = points.reduce((low, { value }) => Math.min(low, value), first.value);
  const most = points.reduce((high, { value }) => Math.max(high, value), first.value);
  const x = (at: number) => Math.round((width * (at - first.at)) / (last.at - first.at));
  // Leaves one pixel above and below, so that the line isn't cut at the edges.
  const y = (value: number) =>
    most === least
      ? height / 2
      : Math.round(height - 1 - ((height - 2) * (value - least)) / (most - least));
  const line = points.map(({ at, value }) => `${x(at)} ${y(value)}`).join('L');
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"${inWords === undefined ? html` aria-hidden="true"` : html` role="img" aria-label="${inWords}"`}><path d="M${line}"/></svg>`;
}
