import type { Metric } from '#core';
import { numbers, table } from '../components/table.ts';
import { formatPeriod } from '../components/time.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { inLanguage } from '../metric-words.ts';
import { type Framed, figure } from './frame.ts';
import { type Marks, markLegend, markWords } from './marks.ts';
import { valueBars } from './values.ts';

/** Keeps the page short. Most users look for the newest rows. */
const maxRows = 400;

interface Additions extends Pick<Framed, 'href'> {
  readonly more?: Html;
  readonly marks?: Marks;
}

/** Expects the oldest value first. */
export function historyFigure(
  id: string,
  metrics: readonly Metric[],
  language: Language,
  { more, marks = new Map(), ...framed }: Additions = {},
): Html {
  const history = metrics.map((metric) => inLanguage(metric, language));
  const newest = history.at(-1);
  const [oldest] = history;
  if (newest === undefined || oldest === undefined) return html``;
  const { data: words } = language.m;
  const { label } = newest;
  const title = words.plot(label);
  const marked = markWords(history, marks, language);
  const range = words.plotDescription(
    `${oldest.value}, ${oldest.period}`,
    `${newest.value}, ${newest.period}`,
  );
  const description = [range, ...marked.map((each) => `${each.words}.`)].join(' ');
  const values = table({
    label: title,
    // The script plot.js shows the cells that are between the period and the revision.
    columns: [
      words.period,
      numbers(words.value),
      ...(marked.length === 0 ? [] : [words.note]),
      numbers(words.revision),
    ],
    rows: history
      .toReversed()
      .slice(0, maxRows)
      .map(({ period, value, revision }) => [
        formatPeriod(period),
        html`<bdi>${value}</bdi>`,
        ...(marked.length === 0
          ? []
          : [language.format.list((marks.get(period) ?? []).map((mark) => words.marks[mark]))]),
        language.format.number(revision),
      ]),
  });
  const isOne = history.length === 1;
  return figure({
    name: label,
    ...framed,
    summary: html`<strong class="value"><bdi>${newest.value}</bdi></strong> <span class="hint">${formatPeriod(newest.period)}${more ?? nothing}</span>`,
    ...(isOne
      ? { plot: html`<p class="hint">${words.oneValue}</p>` }
      : {
          plot: html`${valueBars(history, { id, title, description }, language, marks)}${markLegend(marked)}`,
          numbers: values,
        }),
    language,
  });
}
