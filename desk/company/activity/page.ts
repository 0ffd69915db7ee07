import {
  addDays,
  type Page as ListPage,
  maxStatisticsDays,
  type ReadStatistics,
  type ReceivedRecord,
} from '#core';
import { emptyState } from '../../components/lists.ts';
import { maxRows } from '../../components/record-csv.ts';
import { groupItem, groupRecords } from '../../components/record-groups.ts';
import { type Labels, labelsOf, unlessArchiveIsAway } from '../../components/record-line.ts';
import { formatDate, sayWith } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { forContacts } from '../../route.ts';
import { type Filters, filterNames, readFilters, withFilters } from './filters.ts';
import { filterForm } from './form.ts';
import { plots } from './plots.ts';

/** Of a longer time, as much as can be counted at once is plotted, up to its end. */
function plottedSpan({ since, until }: Filters, now: Date) {
  const earliest = addDays(until ?? now, 1 - maxStatisticsDays);
  return { since: since !== undefined && since < earliest ? earliest : since, until };
}

function countSection(
  statistics: ReadStatistics,
  labels: Labels,
  { language }: ContactContext,
): Html {
  const words = language.m.activity;
  const [first, last] = [statistics.firstDay, statistics.lastDay];
  const title = sayWith(words.countsTitle, formatDate(first, language), formatDate(last, language));
  return html`<section aria-labelledby="counts"><div class="bar"><h2 id="counts">${title}</h2>
<p class="legend" aria-hidden="true"><span class="read">${words.read}</span> <span class="refused">${words.refused}</span></p></div>
${plots(statistics, labels, language)}</section>`;
}

/** So many records are grouped at a time, that an investor who reads often is told in one line. */
const recordsShown = 200;

function timeline(
  { items, nextCursor }: ListPage<ReceivedRecord>,
  labels: Labels,
  context: ContactContext,
): Html {
  const { language, now } = context;
  const { m, format } = language;
  const older = nextCursor && withFilters('/desk/activity', context, { cursor: nextCursor });
  const isFirst = context.query.cursor === undefined;
  const title = older === null ? m.activity.empty : m.activity.notYetFound;
  return html`<section aria-labelledby="timeline"><div class="bar"><h2 id="timeline">${m.activity.timelineTitle}</h2>
<a href="${withFilters('/desk/activity.csv', context)}" download title="${m.activity.downloadHint(format.number(maxRows))}">${m.activity.download}</a></div>
${
  items.length === 0
    ? emptyState({ title, text: m.activity.emptyHint })
    : html`<p class="hint">${m.activity.timelineHint}${isFirst && older === null ? nothing : ` ${m.activity.countedAmong(format.number(items.length))}`}</p>
${groupRecords(items).map((group) => groupItem(group, labels, now, language))}`
}
<p class="actions">${isFirst ? nothing : html`<a class="button" href="${withFilters('/desk/activity', context)}">${m.newest}</a>`}
${older === null ? nothing : html`<a class="button" rel="next" href="${older}">${items.length > 0 ? m.more : m.activity.lookFurther}</a>`}</p></section>`;
}

export const activityRoutes = [
  forContacts.get('/activity', async (context) => {
    const { caller, language, query, now } = context;
    const { company } = context.useCases;
    const { m } = language;
    const { invalid, ...filters } = readFilters(context);
    const isInvalid = Object.keys(invalid).length > 0;
    // The counts are the same on every page of the timeline, so they stand on the first.
    const isCounted = !isInvalid && query.cursor === undefined;
    const span = plottedSpan({ ...filters, invalid }, now);
    const [investors, metrics, statistics, records] = await Promise.all([
      company.listAskingInvestors(caller),
      company.readOwnMetrics(caller, {}),
      isCounted ? company.readAccessStatistics(caller, { ...filters, ...span }) : null,
      isInvalid
        ? null
        : unlessArchiveIsAway(
            company.listReceivedRecords(caller, {
              ...filters,
              limit: recordsShown,
              cursor: query.cursor,
            }),
          ),
    ]);
    const counted = statistics?.investors.map(({ investor }) => investor) ?? [];
    const labels = labelsOf(metrics);
    const isNew =
      statistics?.total.days.length === 0 &&
      records?.items.length === 0 &&
      records.nextCursor === null &&
      filterNames.every((name) => !query[name]);
    const known = new Map([...counted, ...investors].map((each) => [each.id, each]));
    return {
      title: m.activity.title,
      section: 'activity',
      status: isInvalid ? 422 : records === null ? 503 : 200,
      ...(!isInvalid && { live: { look: 'reads' } }),
      // Where nobody ever looked, there is nothing to narrow and nothing to count.
      main: isNew
        ? emptyState({ title: m.activity.empty, text: m.activity.emptyHint })
        : html`<p class="lead">${m.activity.lead}</p>
${filterForm({ ...filters, invalid }, [...known.values()], context)}
${statistics && countSection(statistics, labels, context)}
${isInvalid ? nothing : records === null ? emptyState({ title: m.activity.archiveAway }) : timeline(records, labels, context)}`,
    };
  }),
];
