import type { ReadCounts, ReadSeries } from '#core';
import { numbers, table } from '../components/table.ts';
import { formatDate } from '../components/time.ts';
import { type Html, html } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { type Bin, isByWeek, type Span, toBins } from './bins.ts';
import { type Described, describedPlot, figure, height } from './frame.ts';

/** The refused reads are on top of the allowed reads. */
export function bars(bins: readonly Bin[], described: Described): Html {
  const most = Math.max(1, ...bins.map(sumOf));
  const y = (count: number) => Number((height * (1 - count / most)).toFixed(1));
  const line = (index: number, from: number, to: number) =>
    from === to ? '' : `M${index + 0.5} ${y(from)}V${y(to)}`;
  const read = bins.map(({ allowed }, index) => line(index, 0, allowed)).join('');
  const refused = bins.map((bin, index) => line(index, bin.allowed, sumOf(bin))).join('');
  return describedPlot(
    described,
    bins.length,
    html`<path class="read" d="${read}"/><path class="refused" d="${refused}"/>`,
  );
}

const sumOf = ({ allowed, refused }: Bin): number => allowed + refused;

function inWords({ allowed, refused }: ReadCounts, { m, format }: Language): string {
  const read = m.activity.readTimes(allowed, format.number(allowed));
  return refused === 0
    ? read
    : format.list([read, m.activity.refusedTimes(refused, format.number(refused))]);
}

const findFullest = (bins: readonly Bin[]): Bin =>
  bins.reduce((one, other) => (sumOf(other) > sumOf(one) ? other : one));

export function describeBins(bins: readonly Bin[], totals: ReadCounts, language: Language): string {
  const most = findFullest(bins);
  const when = language.format.date(new Date(most.day));
  return language.m.activity.plotDescription(
    inWords(totals, language),
    inWords(most, language),
    when,
  );
}

interface Plotted {
  readonly name: string;
  readonly series: ReadSeries;
}

/**
 * The table lists the days or weeks that have reads, newest first.
 *
 * @param id unique on the page
 */
export function plotFigure(id: string, plotted: Plotted, span: Span, language: Language): Html {
  const { m, format } = language;
  const { name, series } = plotted;
  const words = m.activity;
  const bins = toBins(series, span);
  const most = findFullest(bins);
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
    plot: html`<p class="tick" aria-hidden="true">${format.number(sumOf(most))}</p>
${bars(bins, { id, title, description })}
<p class="ticks" aria-hidden="true"><span>${formatDate(span.firstDay, language)}</span><span>${formatDate(span.lastDay, language)}</span></p>`,
    numbers: counts,
    language,
  });
}
