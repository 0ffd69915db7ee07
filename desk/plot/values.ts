import type { Metric } from '#core';
import { html } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { type Described, describedPlot } from './frame.ts';
import { marks as allMarks, type Marks } from './marks.ts';
import { amountScale, gridLines, withTicks } from './scales.ts';

/** The distance between the end of a bar and its first mark, and between two marks of the same bar. */
const markDistance = 6;

/**
 * The horizontal position of a bar shows its date. A missing period leaves a gap.
 *
 * @param metrics at least one; oldest first
 */
export function valueBars(
  metrics: readonly Pick<Metric, 'period' | 'rawValue' | 'currency'>[],
  described: Described,
  { format, m }: Language,
  marks: Marks,
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
  const positions = days.map((day) => Number(((day - first) / width + 0.5).toFixed(2)));
  const bars = amounts.map(
    (amount, index) => `M${positions[index]} ${scale.y(0)}V${scale.y(amount)}`,
  );
  // Browsers draw a line without length as a dot.
  const dotsOf = (mark: (typeof allMarks)[number]) =>
    metrics.map(({ period }, index) => {
      const amount = amounts[index] ?? 0;
      const level = (marks.get(period) ?? []).indexOf(mark) + 1;
      const y = scale.y(amount) + (amount < 0 ? markDistance : -markDistance) * level;
      return level === 0 ? '' : `M${positions[index]} ${y.toFixed(1)}h0`;
    });
  const dots = allMarks
    .map((mark) => ({ mark, path: dotsOf(mark).join('') }))
    .filter(({ path }) => path !== '')
    .map(({ mark, path }) => html`<path class="mark ${mark}" d="${path}"/>`);
  const span = Number((((days.at(-1) ?? first) - first) / width + 1).toFixed(2));
  const currency = metrics.at(-1)?.currency ?? null;
  const plot = describedPlot(
    described,
    span,
    html`${gridLines(scale, span)}<path class="read" d="${bars.join('')}"/>${dots}`,
    positions.map((level) => level / span),
  );
  const periods = metrics.map(({ period }) => period);
  const textOf = (tick: number) => format.compact(tick, currency);
  return withTicks(scale, textOf, plot, periods, m);
}
