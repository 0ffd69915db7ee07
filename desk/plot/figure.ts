import type { ReadCounts, ReadSeries } from '#core';
import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { bars, sumOf } from './bars.ts';
import { type Bin, isByWeek, type Span, toBins } from './bins.ts';

/** How many reads and refusals, in words. */
function inWords({ allowed, refused }: ReadCounts, { m, format }: Language): string {
  const read = m.activity.readTimes(allowed, format.number(allowed));
  const parts =
    refused === 0 ? [read] : [read, m.activity.refusedTimes(refused, format.number(refused))];
  return format.list(parts);
}

interface Plotted {
  /** Different for each plot of a page. */
  readonly id: string;
  readonly name: string;
  readonly series: ReadSeries;
}

/** A plot with its name and totals in words, and the same numbers as a table. */
export function plotFigure({ id, name, series }: Plotted, span: Span, language: Language): Html {
  const { m, format } = language;
  const bins = toBins(series, span);
  const most = bins.reduce((one, other) => (sumOf(other) > sumOf(one) ? other : one));
  const totals = inWords(series, language);
  const dateOf = (day: string) => format.date(new Date(day));
  const title = isByWeek(span) ? m.activity.plotByWeek(name) : m.activity.plot(name);
  const description = m.activity.plotDescription(totals, inWords(most, language), dateOf(most.day));
  return html`<figure class="panel figure">
<figcaption><h3><bdi>${name}</bdi></h3><p>${totals}</p></figcaption>
<p class="tick" aria-hidden="true">${format.number(sumOf(most))}</p>
${bars(bins, { id, title, description })}
<p class="ticks" aria-hidden="true"><span>${dateOf(span.firstDay)}</span><span>${dateOf(span.lastDay)}</span></p>
<details><summary>${m.activity.numbers}<span class="visually-hidden">${m.activity.numbersOf(name)}</span></summary>
${numbers(bins, title, isByWeek(span) ? m.activity.week : m.activity.day, language)}
</details>
</figure>`;
}

/** The bins that have any read, the newest first. */
function numbers(
  bins: readonly Bin[],
  title: string,
  first: string,
  { m, format }: Language,
): Html {
  return html`<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table class="numbers">
<thead><tr><th scope="col">${first}</th><th scope="col">${m.activity.read}</th><th scope="col">${m.activity.refused}</th></tr></thead>
<tbody>${bins
    .toReversed()
    .map((bin) =>
      sumOf(bin) === 0
        ? nothing
        : html`<tr><th scope="row">${format.date(new Date(bin.day))}</th><td>${format.number(bin.allowed)}</td><td>${format.number(bin.refused)}</td></tr>`,
    )}</tbody></table></div>`;
}
