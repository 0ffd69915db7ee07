import { line } from 'd3-shape';
import { type Html, html } from '../html.ts';
import type { Messages } from '../messages/index.ts';
import { type Described, describedPlot } from './frame.ts';
import { splitAtGaps } from './gaps.ts';
import { amountScale, gridLines, withTicks } from './scales.ts';

/** Each line has its own combination of colour and dash. */
export const maxLines = 20;

const colours = 5;

/**
 * Dash lengths in pixels. The first style is a solid line. Four dash styles and five colours have no common divisor, so
 * 20 lines get different combinations.
 */
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

interface Labels {
  readonly textOf: (tick: number) => string;
  readonly m: Messages;
}

/** All lines share one scale. The horizontal position of a value shows its date. A missing period leaves a gap. */
export function lines(
  series: readonly (readonly LineValue[])[],
  described: Described,
  { textOf, m }: Labels,
): Html {
  const all = series.flat();
  const scale = amountScale(all.map(({ amount }) => amount));
  const at = (period: string) => new Date(period).getTime();
  const periods = [...new Set(all.map(({ period }) => period))].toSorted();
  const [first = 0, last = 0] = [periods.at(0), periods.at(-1)].map((period) => at(period ?? ''));
  const placeOf = (period: string) =>
    last === first ? 0.5 : (at(period) - first) / (last - first);
  const draw = line<LineValue>(
    ({ period }) => width * placeOf(period),
    ({ amount }) => scale.y(amount),
  ).digits(1);
  const plot = describedPlot(
    described,
    width,
    html`${gridLines(scale, width)}${series.map((values, index) => {
      const parts = splitAtGaps(values);
      const path = (kind: Html, of: readonly LineValue[][]) =>
        of.length === 0 ? '' : html`<path ${kind} d="${of.map((part) => draw(part)).join('')}"/>`;
      return html`${path(
        styleOf(index),
        parts.filter((part) => part.length > 1),
      )}${path(
        // Browsers draw a line without length as a dot.
        html`class="line dot hue-${index % colours}"`,
        parts.filter((part) => part.length === 1),
      )}`;
    })}`,
    periods.map(placeOf),
  );
  return withTicks(scale, textOf, plot, periods, m);
}

export const keyOfLines = (index: number): Html =>
  html`<svg class="key" viewBox="0 0 36 8" aria-hidden="true"><path ${styleOf(index)} d="M0 4H36"/></svg>`;
