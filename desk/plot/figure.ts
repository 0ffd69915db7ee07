import type { ReadCounts, ReadSeries } from '#core';
import { numbers, table } from '../components/table.ts';
import { formatDate } from '../components/time.ts';
import type { Html } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { bars, sumOf } from './bars.ts';
import { type Bin, isByWeek, type Span, toBins } from './bins.ts';
import { figure } from './frame.ts';

function inWords({ allowed, refused }: ReadCounts, { m, format }: Language): string {
  const read = m.activity.readTimes(allowed, format.number(allowed));
  return refused === 0
    ? read
    : format.list([read, m.activity.refusedTimes(refused, format.number(refused))]);
}

const fullestOf = (bins: readonly Bin[]): Bin =>
  bins.reduce((one, other) => (sumOf(other) > sumOf(one) ? other : one));

export function describeBins(bins: readonly Bin[], totals: ReadCounts, language: Language): string {
  const most = fullestOf(bins);
  const when = language.format.date(new Date(most.day));
  return language.m.activity.plotDescription(
    inWords(totals, language),
    inWords(most, language),
    when,
  );
}

export interface Plotted {
  readonly name: string;
  readonly series: ReadSeries;
}

/**
 * The table has the same numbers for each bin with reads, newest first.
 *
 * @param id unique on the page
 */
export function plotFigure(id: string, plotted: Plotted, span: Span, language: Language): Html {
  const { m, format } = language;
  const { name, series } = plotted;
  const words = m.activity;
  const bins = toBins(series, span);
  const most = fullestOf(bins);
  const totals = inWords(series, language);
  const title = isByWeek(span) ? words.plotByWeek(name) : words.plot(name);
  const description = describeBins(bins, series, language);
  const counts = table({
    label: title,
    columns: [isByWeek(span) ? words.week : words.day, numbers(words.read), numbers(words.refused)],
    rows: bins
      .filter((bin) => sumOf(bin) > 0)
      .toReversed()
      .map(({ day, ...counts }) => [
        formatDate(day, language),
        format.number(counts.allowed),
        format.number(counts.refused),
      ]),
  });
  return figure({
    name,
    summary: totals,
    top: format.number(sumOf(most)),
    plot: bars(bins, { id, title, description }),
    ends: [formatDate(span.firstDay, language), formatDate(span.lastDay, language)],
    numbers: counts,
    language,
  });
}
