import { AccessError, formatAmount, type Metric, parseDecimal } from '#core';
import { numbers, table } from '../../components/table.ts';
import { formatExactly, formatPeriod, formatRelative } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { fact, type Html, html } from '../../html.ts';
import { figure } from '../../plot/frame.ts';
import { boundsOf, valueBars } from '../../plot/values.ts';
import { forContacts } from '../../route.ts';
import { dataPath } from './paths.ts';

/** More rows would make the page long; the newest are those that are looked for. */
const maxRows = 400;

/** The newest value of each period, oldest first. */
const newestOf = (revisions: readonly Metric[]): readonly Metric[] => [
  ...new Map(revisions.map((each) => [each.period, each])).values(),
];

/** A bound of the plot, which is a rounded number. */
const boundOf = (bound: number, currency: string | null): string => {
  const exact = parseDecimal(String(bound));
  return exact === null ? String(bound) : formatAmount(exact, currency);
};

function historyFigure(history: readonly Metric[], newest: Metric, context: ContactContext): Html {
  const { language } = context;
  const { data: words } = language.m;
  const { label, currency } = newest;
  const oldest = history[0] ?? newest;
  const title = words.plot(label);
  const description = words.plotDescription(
    `${oldest.value}, ${oldest.period}`,
    `${newest.value}, ${newest.period}`,
  );
  const { top, bottom } = boundsOf(history.map(({ rawValue }) => Number(rawValue)));
  return figure({
    name: label,
    summary: html`<bdi>${newest.value}</bdi> · ${formatPeriod(newest.period)}`,
    top: boundOf(top, currency),
    ...(bottom < 0 && { bottom: boundOf(bottom, currency) }),
    plot: valueBars(history, { id: 'history', title, description }),
    ends: [oldest.period, newest.period],
    numbers: table({
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
    }),
    language,
  });
}

/** Each value of the periods that have had several, the newest first. */
function revisionTable(revisions: readonly Metric[], context: ContactContext): Html {
  const { language, now } = context;
  const { data: words } = language.m;
  const byPeriod = Map.groupBy(revisions, ({ period }) => period);
  const revised = [...byPeriod.values()].filter((each) => each.length > 1).flat();
  if (revised.length === 0) return html`<p class="hint">${words.noRevisions}</p>`;
  const rows = revised
    .toReversed()
    .slice(0, maxRows)
    .map(({ period, revision, value, source, verification }) => [
      formatPeriod(period),
      language.format.number(revision),
      html`<bdi>${value}</bdi>`,
      html`<bdi>${source.system}</bdi>`,
      formatRelative(source.lastSynced, now, language),
      verification.signed ? formatExactly(verification.signedAt, language) : words.unsigned,
    ]);
  const columns = [
    words.period,
    numbers(words.revision),
    numbers(words.value),
    words.source,
    words.synced,
    words.signed,
  ];
  return html`<p class="hint">${words.revisionsHint}</p>${table({ label: words.table(words.revisions), columns, rows })}`;
}

export const metricRoutes = [
  forContacts.get('/data/metrics/:id', async (context) => {
    const { caller, useCases, id, language, now } = context;
    const { data: words } = language.m;
    const revisions = await useCases.company.readOwnMetricRevisions(caller, { key: id });
    const history = newestOf(revisions);
    const newest = history.at(-1);
    if (newest === undefined) throw new AccessError('metric_not_found');
    const { source, verification, confidence, category } = newest;
    return {
      title: newest.label,
      section: 'data',
      main: html`<p><a href="${dataPath}">${words.title}</a></p>
<dl class="facts">${fact(words.key, html`<code>${id}</code>`)}
${fact(words.source, html`<bdi>${source.system}</bdi> (<bdi>${source.method}</bdi>)`)}
${fact(words.synced, formatRelative(source.lastSynced, now, language))}
${fact(words.verified, verification.verified ? words.yes : words.no)}
${fact(words.confidence, html`<bdi>${confidence}</bdi>`)}
${fact(words.category, html`<bdi>${category}</bdi>`)}</dl>
<section aria-labelledby="history-of"><h2 id="history-of">${words.history}</h2>
${historyFigure(history, newest, context)}</section>
<section aria-labelledby="revisions"><h2 id="revisions">${words.revisions}</h2>
${revisionTable(revisions, context)}</section>`,
    };
  }),
];
