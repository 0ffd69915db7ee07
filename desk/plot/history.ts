import type { Metric } from '#core';
import { numbers, table } from '../components/table.ts';
import { formatPeriod } from '../components/time.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Language } from '../messages/index.ts';
import { figure } from './frame.ts';
import { boundOf, boundsOf, valueBars } from './values.ts';

/** More rows would make the page long; the newest are those that are looked for. */
const maxRows = 400;

interface Additions {
  /** Said behind the last value. */
  readonly more?: Html;
  /** Where more of it is shown. */
  readonly href?: string;
}

/** The plot of the values of a metric, oldest first, with the last one in words and all of them as a table. */
export function historyFigure(
  id: string,
  history: readonly Metric[],
  language: Language,
  { more, href }: Additions = {},
): Html {
  const newest = history.at(-1);
  const [oldest] = history;
  if (newest === undefined || oldest === undefined) return html``;
  const { data: words } = language.m;
  const { label, currency } = newest;
  const title = words.plot(label);
  const description = words.plotDescription(
    `${oldest.value}, ${oldest.period}`,
    `${newest.value}, ${newest.period}`,
  );
  const { top, bottom } = boundsOf(history.map(({ rawValue }) => Number(rawValue)));
  const values = table({
    label: title,
    columns: [words.period, numbers(words.value), numbers(words.revision)],
    rows: history
      .toReversed()
      .slice(0, maxRows)
      .map(({ period, value, revision }) => [
        formatPeriod(period),
        html`<bdi>${value}</bdi>`,
        language.format.number(revision),
      ]),
  });
  return figure({
    name: label,
    ...(href !== undefined && { href }),
    summary: html`<bdi>${newest.value}</bdi> <span class="hint">${formatPeriod(newest.period)}</span>${more ?? nothing}`,
    top: boundOf(top, currency),
    ...(bottom < 0 && { bottom: boundOf(bottom, currency) }),
    plot: valueBars(history, { id, title, description }),
    ends: [formatPeriod(oldest.period), formatPeriod(newest.period)],
    numbers: values,
    language,
  });
}
