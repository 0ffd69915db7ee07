import {
  addDays,
  type Page as ListPage,
  loadData,
  maxStatisticsDays,
  type ReadStatistics,
  type ReceivedRecord,
} from '#core';
import { maxRecords, sendRecordCsv } from '../../components/csv.ts';
import { emptyState } from '../../components/lists.ts';
import { groupItem, groupRecords, type Labels, labelsOf } from '../../components/records.ts';
import { fillMessage, formatDate } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { readsFooter } from '../../reads.ts';
import { forContacts } from '../../route.ts';
import { type Filters, filterForm, readFilters } from './filters.ts';
import { plots } from './plots.ts';

/**
 * Returns the days that the plot shows. If the filter covers more days than statistics can, returns only the last ones.
 */
function plottedSpan({ since, until }: Filters['criteria'], now: Date) {
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
  const title = fillMessage(
    words.countsTitle,
    formatDate(first, language),
    formatDate(last, language),
  );
  return html`<section aria-labelledby="counts"><div class="bar"><h2 id="counts">${title}</h2>
<p class="legend" aria-hidden="true"><span class="read">${words.read}</span> <span class="refused">${words.refused}</span></p></div>
${plots(statistics, labels, language)}</section>`;
}

/** The page stays short, because it groups the records by investor, one line per investor. */
const recordsShown = 200;

function timeline(
  { items, nextCursor }: ListPage<ReceivedRecord>,
  labels: Labels,
  filters: Filters,
  context: ContactContext,
): Html {
  const { language, now, query } = context;
  const { m, format } = language;
  const isAll = query.cursor === undefined && nextCursor === null;
  const title = nextCursor === null ? m.activity.empty : m.activity.notYetFound;
  return html`<section aria-labelledby="timeline"><div class="bar"><h2 id="timeline">${m.activity.timelineTitle}</h2>
<a href="${filters.addressOf('/desk/activity.csv')}" download title="${m.activity.downloadHint(format.number(maxRecords))}">${m.activity.download}</a></div>
${
  items.length === 0
    ? emptyState({ title, text: m.activity.emptyHint })
    : html`<p class="hint">${m.activity.timelineHint}${isAll ? nothing : ` ${m.activity.countedAmong(format.number(items.length))}`}</p>
${groupRecords(items).map((group) => groupItem(group, labels, now, language))}`
}
${readsFooter(items.length, nextCursor, filters, context)}</section>`;
}

export const activityRoutes = [
  forContacts.get('/activity', async (context) => {
    const { caller, language, query, now } = context;
    const { company } = context.useCases;
    const { m } = language;
    const filters = readFilters(context);
    const { criteria, isInvalid, isNarrowed } = filters;
    // The counts are the same on each page of the timeline, so only the first page shows them.
    const isCounted = !isInvalid && query.cursor === undefined;
    const span = plottedSpan(criteria, now);
    const [investors, metrics, statistics, records] = await Promise.all([
      company.listRequestingInvestors(caller),
      company.readOwnMetrics(caller, {}).then(loadData),
      isCounted ? company.readAccessStatistics(caller, { ...criteria, ...span }) : null,
      isInvalid
        ? null
        : company.listReceivedRecords(caller, {
            ...criteria,
            limit: recordsShown,
            cursor: query.cursor,
          }),
    ]);
    const counted = statistics?.investors.map(({ investor }) => investor) ?? [];
    const labels = labelsOf(metrics, language);
    const isNew =
      statistics?.total.days.length === 0 &&
      records?.items.length === 0 &&
      records.nextCursor === null &&
      !isNarrowed;
    const investorsById = new Map([...counted, ...investors].map((each) => [each.id, each]));
    return {
      title: m.nav.activity,
      section: 'activity',
      status: isInvalid ? 422 : records === null ? 503 : 200,
      ...(!isInvalid && { live: { look: 'reads' } }),
      // Before the first read, the page needs no filters and no counts.
      main: isNew
        ? emptyState({ title: m.activity.empty, text: m.activity.emptyHint })
        : html`<p class="lead">${m.activity.lead}</p>
${filterForm(filters, [...investorsById.values()], context)}
${statistics && countSection(statistics, labels, context)}
${records === null ? nothing : timeline(records, labels, filters, context)}`,
    };
  }),
  forContacts.get('/activity.csv', (context) =>
    sendRecordCsv(context, readFilters(context), 'investor', (criteria) =>
      context.useCases.company.walkReceivedRecords(context.caller, criteria),
    ),
  ),
];
