import {
  addDays,
  type Page as ListPage,
  maxStatisticsDays,
  type ReadStatistics,
  type ReceivedRecord,
} from '#core';
import { maxRows } from '../../components/record-csv.ts';
import { recordItem, unlessArchiveIsAway } from '../../components/record-line.ts';
import type { ContactContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { forContacts } from '../../route.ts';
import { type Filters, readFilters, withFilters } from './filters.ts';
import { filterForm } from './form.ts';
import { plots } from './plots.ts';

/** Of a longer time, as much as can be counted at once is plotted, up to its end. */
function plottedSpan({ since, until }: Filters, now: Date) {
  const earliest = addDays(until ?? now, 1 - maxStatisticsDays);
  return { since: since !== undefined && since < earliest ? earliest : since, until };
}
function countSection(statistics: ReadStatistics, { language }: ContactContext): Html {
  const { m, format } = language;
  const dateOf = (day: string) => format.date(new Date(day));
  const title = m.activity.countsTitle(dateOf(statistics.firstDay), dateOf(statistics.lastDay));
  return html`<section aria-labelledby="counts"><h2 id="counts">${title}</h2>
${plots(statistics, language)}</section>`;
}

function timeline({ items, nextCursor }: ListPage<ReceivedRecord>, context: ContactContext): Html {
  const { m, format } = context.language;
  const older = nextCursor && withFilters('/desk/activity', context, { cursor: nextCursor });
  const isFirst = context.query.cursor === undefined;
  return html`<section aria-labelledby="timeline"><h2 id="timeline">${m.activity.timelineTitle}</h2>
<p><a href="${withFilters('/desk/activity.csv', context)}" download>${m.activity.download}</a> <span class="hint">${m.activity.downloadHint(format.number(maxRows))}</span></p>
${
  items.length > 0
    ? html`<ol class="timeline">${items.map((record) => recordItem(record, context.language))}</ol>`
    : html`<p class="empty">${older === null ? m.activity.empty : m.activity.notYetFound}</p>`
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
    const [investors, statistics, records] = await Promise.all([
      company.listAskingInvestors(caller),
      isCounted ? company.readAccessStatistics(caller, { ...filters, ...span }) : null,
      isInvalid
        ? null
        : unlessArchiveIsAway(
            company.listReceivedRecords(caller, { ...filters, cursor: query.cursor }),
          ),
    ]);
    const counted = statistics?.investors.map(({ investor }) => investor) ?? [];
    const known = new Map([...counted, ...investors].map((each) => [each.id, each]));
    return {
      title: m.activity.title,
      section: 'activity',
      status: isInvalid ? 422 : records === null ? 503 : 200,
      showsReads: !isInvalid,
      main: html`<p class="lead">${m.activity.lead} ${isCounted ? html`<a href="#timeline">${m.activity.timelineTitle}</a>` : nothing}</p>
${filterForm({ ...filters, invalid }, [...known.values()], context)}
${statistics && countSection(statistics, context)}
${isInvalid ? nothing : records === null ? html`<p class="empty">${m.activity.archiveAway}</p>` : timeline(records, context)}`,
    };
  }),
];
