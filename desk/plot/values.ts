import { formatAmount, type Metric, parseDecimal } from '#core';
import { type Html, html, nothing } from '../html.ts';
import { type Described, describedPlot, height } from './svg.ts';

/** A bar for each value, from nought up or down, each at its place in time. */
export function valueBars(
  metrics: readonly Pick<Metric, 'period' | 'rawValue'>[],
  described: Described,
): Html {
  const values = metrics.map(({ rawValue }) => Number(rawValue));
  const { top, bottom } = boundsOf(values);
  const days = metrics.map(({ period }) => new Date(period).getTime() / 86_400_000);
  const [first = 0] = days;
  // As wide as the two that stand closest.
  const width = days.reduce(
    (least, each, index) => Math.min(least, each - (days[index - 1] ?? each - least)),
    366,
  );
  const y = (value: number) => Number((height * ((top - value) / (top - bottom))).toFixed(1));
  const bars = values.map((value, index) => {
    const x = Number((((days[index] ?? first) - first) / width + 0.5).toFixed(2));
    return `M${x} ${y(0)}V${y(value)}`;
  });
  const span = ((days.at(-1) ?? first) - first) / width + 1;
  return describedPlot(
    described,
    Number(span.toFixed(2)),
    html`<path class="read" d="${bars.join('')}"/>${bottom < 0 ? html`<path class="nought" d="M0 ${y(0)}H${Number(span.toFixed(2))}"/>` : nothing}`,
  );
}

/** What the top and the bottom of such a plot stand for; nought always lies between them. */
export function boundsOf(values: readonly number[]): { top: number; bottom: number } {
  const top = values.reduce((most, value) => Math.max(most, value), 0);
  const bottom = values.reduce((least, value) => Math.min(least, value), 0);
  return top === bottom ? { top: 1, bottom: 0 } : { top, bottom };
}

/** A bound of the plot as the value that reaches it is written, with its unit; nought where none does. */
export const boundIn = (
  metrics: readonly Pick<Metric, 'rawValue' | 'value' | 'currency'>[],
  bound: number,
): string =>
  metrics.find(({ rawValue }) => Number(rawValue) === bound)?.value ??
  boundOf(bound, metrics.at(-1)?.currency ?? null);

/** A bound of the plot, which is a rounded number. */
const boundOf = (bound: number, currency: string | null): string => {
  const exact = parseDecimal(String(bound));
  return exact === null ? String(bound) : formatAmount(exact, currency);
};
