import type { Metric } from '#core';
import { html } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { readout } from './readout.ts';
import { amountScale, gridLines, withTicks } from './scales.ts';
import { type Described, describedPlot } from './svg.ts';

/**
 * Draws a bar for each value, up or down from zero. Each bar is at its place in time. A missing period leaves a gap.
 *
 * @param metrics at least one; oldest first
 */
export function valueBars(
  metrics: readonly Pick<Metric, 'period' | 'rawValue' | 'currency'>[],
  described: Described,
  { format, m }: Language,
) {
  const amounts = metrics.map(({ rawValue }) => Number(rawValue));
  const scale = amountScale(amounts);
  const days = metrics.map(({ period }) => new Date(period).getTime() / 86_400_000);
  const [first = 0] = days;
  // A bar is as wide as the smallest distance between two values.
  const width = days.reduce(
    (least, each, index) => Math.min(least, each - (days[index - 1] ?? each - least)),
    366,
  );
  const places = days.map((day) => Number(((day - first) / width + 0.5).toFixed(2)));
  const bars = amounts.map((amount, index) => `M${places[index]} ${scale.y(0)}V${scale.y(amount)}`);
  const span = Number((((days.at(-1) ?? first) - first) / width + 1).toFixed(2));
  const currency = metrics.at(-1)?.currency ?? null;
  const plot = describedPlot(
    described,
    span,
    html`${gridLines(scale, span)}<path class="read" d="${bars.join('')}"/>`,
    places.map((place) => place / span),
  );
  const periods = metrics.map(({ period }) => period);
  const textOf = (tick: number) => format.compact(tick, currency);
  return html`${withTicks(scale, textOf, plot, periods)}${readout(metrics.length, m)}`;
}
