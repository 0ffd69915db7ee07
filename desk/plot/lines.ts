import type { Metric } from '#core';
import { type Html, html } from '../html.ts';
import { type Described, describedPlot, height } from './svg.ts';
import { boundsOf } from './values.ts';

/** Lines that can be told apart by their dashes where colours cannot; more of them nobody follows. */
export const maxLines = 8;

type Value = Pick<Metric, 'period' | 'rawValue'>;

const width = 200;

/** A line for each series through its values, each at its place in time; all on one scale, with nought on it. */
export function lines(series: readonly (readonly Value[])[], described: Described): Html {
  const all = series.flat();
  const at = (period: string) => new Date(period).getTime();
  const first = all.reduce((least, { period }) => Math.min(least, at(period)), Infinity);
  const last = all.reduce((most, { period }) => Math.max(most, at(period)), -Infinity);
  const { top, bottom } = boundsOf(all.map(({ rawValue }) => Number(rawValue)));
  const point = ({ period, rawValue }: Value) => {
    const x = last === first ? width / 2 : (width * (at(period) - first)) / (last - first);
    const y = height * ((top - Number(rawValue)) / (top - bottom));
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  const path = (values: readonly Value[]) => {
    const [one] = values;
    // A single value is a dot, which a line without length is drawn as.
    if (values.length === 1 && one !== undefined) return `M${point(one)}h0.01`;
    return values.length === 0 ? '' : `M${values.map(point).join('L')}`;
  };
  return describedPlot(
    described,
    width,
    html`${series.map((values, index) => html`<path class="line line-${index}${values.length === 1 ? ' one' : ''}" d="${path(values)}"/>`)}`,
  );
}

/** A piece of the line, to tell it by beside its name. */
export const keyOfLines = (index: number): Html =>
  html`<svg class="key" viewBox="0 0 24 8" aria-hidden="true"><path class="line line-${index}" d="M0 4H24"/></svg>`;
