import type { ReadCounts, ReadSeries } from '#core';
import { numbers, table } from '../components/table.ts';
import type { Html } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { bars, sumOf } from './bars.ts';
import { isByWeek, type Span, toBins } from './bins.ts';
import { figure } from './frame.ts';

/** How many reads and refusals, in words. */
function inWords({ allowed, refused }: ReadCounts, { m, format }: Language): string {
  const read = m.activity.readTimes(allowed, format.number(allowed));
  return refused === 0
    ? read
    : format.list([read, m.activity.refusedTimes(refused, format.number(refused))]);
}

export interface Plotted {
  readonly name: string;
  readonly series: ReadSeries;
}

/**
 * A plot with its name and totals in words, and the same numbers as a table: of the bins that have any read, the newest
 * first.
 *
 * @param id different for each plot of a page
 */
export function plotFigure(id: string, plotted: Plotted, span: Span, language: Language): Html {
  const { m, format } = language;
  const { name, series } = plotted;
  const words = m.activity;
  const bins = toBins(series, span);
  const most = bins.reduce((one, other) => (sumOf(other) > sumOf(one) ? other : one));
  const totals = inWords(series, language);
  const dateOf = (day: string) => format.date(new Date(day));
  const title = isByWeek(span) ? words.plotByWeek(name) : words.plot(name);
  const description = words.plotDescription(totals, inWords(most, language), dateOf(most.day));
  const counts = table({
    label: title,
    columns: [isByWeek(span) ? words.week : words.day, numbers(words.read), numbers(words.refused)],
    rows: bins
      .filter((bin) => sumOf(bin) > 0)
      .toReversed()
      .map(({ day, ...counts }) => [
        dateOf(day),
        format.number(counts.allowed),
        format.number(counts.refused),
      ]),
  });
  return figure({
    name,
    summary: totals,
    top: format.number(sumOf(most)),
    plot: bars(bins, { id, title, description }),
    ends: [dateOf(span.firstDay), dateOf(span.lastDay)],
    numbers: counts,
    language,
  });
}
