import { type Html, html } from '../html.ts';
import { splitAtGaps } from './gaps.ts';
import { type Described, describedPlot, height } from './svg.ts';
import { boundsOf } from './values.ts';

/** The most lines of a plot. Each has its own pair of a colour and a dash. */
export const maxLines = 20;

const colours = 5;

/** In pixels; the first line is solid. Their number shares no divisor with that of the colours, so 20 pairs differ. */
const dashes = ['', '8 5', '1 5', '10 4 1 4'];

export interface LineValue {
  readonly period: string;
  readonly amount: number;
}

const width = 200;

const styleOf = (index: number): Html => {
  const dash = dashes[index % dashes.length];
  return html`class="line hue-${index % colours}"${dash && html` stroke-dasharray="${dash}"`}`;
};

/** A line for each series through its values, each at its place in time; all on one scale, with nought on it. */
export function lines(series: readonly (readonly LineValue[])[], described: Described): Html {
  const all = series.flat();
  const at = (period: string) => new Date(period).getTime();
  const first = all.reduce((least, { period }) => Math.min(least, at(period)), Infinity);
  const last = all.reduce((most, { period }) => Math.max(most, at(period)), -Infinity);
  const { top, bottom } = boundsOf(all.map(({ amount }) => amount));
  const y = (value: number) => (height * ((top - value) / (top - bottom))).toFixed(1);
  const point = ({ period, amount }: LineValue) => {
    const x = last === first ? width / 2 : (width * (at(period) - first)) / (last - first);
    return `${x.toFixed(1)} ${y(amount)}`;
  };
  // A single value is a dot: a line without length.
  const partOf = (values: readonly LineValue[]) =>
    values.length === 1 ? `M${values.map(point).join('')}h0.01` : `M${values.map(point).join('L')}`;
  const zero = bottom < 0 ? html`<path class="nought" d="M0 ${y(0)}H${width}"/>` : '';
  return describedPlot(
    described,
    width,
    html`${zero}${series.map((values, index) => {
      const parts = splitAtGaps(values);
      const dots = parts.filter((part) => part.length === 1);
      const path = (kind: Html, of: readonly (readonly LineValue[])[]) =>
        of.length === 0 ? '' : html`<path ${kind} d="${of.map(partOf).join('')}"/>`;
      return html`${path(
        styleOf(index),
        parts.filter((part) => part.length > 1),
      )}${path(html`class="line dot hue-${index % colours}"`, dots)}`;
    })}`,
  );
}

/** A piece of the line, to tell it by beside its name. */
export const keyOfLines = (index: number): Html =>
  html`<svg class="key" viewBox="0 0 36 8" aria-hidden="true"><path ${styleOf(index)} d="M0 4H36"/></svg>`;
