import { scaleLinear } from 'd3-scale';
import { formatPeriod } from '../components/time.ts';
import { type Html, html } from '../html.ts';
import type { Messages } from '../messages/index.ts';
import { height } from './frame.ts';

/** A plot is small, and each tick needs a line of text. */
const usualTicks = 4;

/** Always includes zero. */
interface AmountScale {
  /** Round amounts at equal distances, from top to bottom. */
  readonly ticks: readonly number[];
  /** Returns the vertical position of an amount, measured from the top. */
  y(amount: number): number;
}

export function amountScale(amounts: readonly number[]): AmountScale {
  const least = amounts.reduce((low, amount) => Math.min(low, amount), 0);
  const most = amounts.reduce((high, amount) => Math.max(high, amount), 0);
  const scale = scaleLinear([least, least === most ? 1 : most], [height, 0]).nice(usualTicks);
  return {
    ticks: scale.ticks(usualTicks).toReversed(),
    y: (amount) => Number(scale(amount).toFixed(1)),
  };
}

export const gridLines = ({ ticks, y }: AmountScale, width: number): Html =>
  html`${ticks.map((tick) => html`<path class="${tick === 0 ? 'nought' : 'grid'}" d="M0 ${y(tick)}H${width}"/>`)}`;

/** Ticks are evenly spaced, so labels need no positions. */
export const withTicks = (
  { ticks }: AmountScale,
  textOf: (tick: number) => string,
  plot: Html,
  periods: readonly string[],
  m: Messages,
): Html =>
  html`<div class="chart"><ul class="axis" aria-hidden="true">${ticks.map((tick) => html`<li>${textOf(tick)}</li>`)}</ul>${plot}
<p class="ticks" aria-hidden="true"><span>${formatPeriod(periods.at(0) ?? '')}</span><span>${formatPeriod(periods.at(-1) ?? '')}</span></p></div>${readout(periods.length, m)}`;

/**
 * Shows one value of the plot. The user selects the value with the pointer, with a finger, or with the slider by
 * keyboard. The script plot.js reads the value from the table. Without scripts, this element is hidden.
 */
const readout = (count: number, { data }: Messages): Html =>
  html`<p class="readout"><output aria-hidden="true"></output><input type="range" aria-label="${data.period}" min="0" max="${count - 1}" value="${count - 1}"></p>`;
