import { accessRequestStatuses, may, type OwnRequest } from '#core';
import { buttonLink } from '../../components/buttons.ts';
import { emptyState, older, select } from '../../components/lists.ts';
import {
  readableOrAsked,
  scopeNames,
  scopesInShort,
  statusBadge,
} from '../../components/request-facts.ts';
import { table } from '../../components/table.ts';
import { formatDay, formatRelative } from '../../components/time.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { portfolioPath } from '../paths.ts';
import { companyLabel } from './words.ts';

const path = '/desk/requests';

function row(own: OwnRequest, { language, now }: InvestorContext): (Html | string)[] {
  const { m } = language;
  const words = m.asking.requests;
  const { id, status, pendingScopes, ...dates } = own.accessRequest;
  const isPending = status === 'pending';
  const { expiresAt } = dates;
  return [
    html`<a href="${path}/${id}">${companyLabel(own, m)}</a>`,
    html`${scopesInShort(readableOrAsked(own), language) || '–'}${pendingScopes.length === 0 ? nothing : html`<br><span class="badge pending">${words.asksMore}</span> ${scopeNames(pendingScopes, language)}`}`,
    statusBadge(status, words),
    isPending
      ? html`${words.lapses} ${formatRelative(dates.deadlineAt, now, language)}`
      : expiresAt === null || status !== 'approved'
        ? '–'
        : formatDay(expiresAt, language),
    formatDay(dates.createdAt, language),
  ];
}

async function requestsPage(context: InvestorContext): Promise<Page> {
  const { caller, useCases, language, query } = context;
  const { m } = language;
  const words = m.asking.requests;
  const status = accessRequestStatuses.find((each) => each === query.status);
  const { items, nextCursor } = await useCases.investor.listOwnRequests(caller, {
    status,
    cursor: query.cursor,
  });
  const next = older(path, { status, cursor: nextCursor }, m);
  const isFirst = query.cursor === undefined;
  const isNothing = items.length === 0 && status === undefined && isFirst;
  const toPortfolio = may(caller, 'ask')
    ? buttonLink(`${portfolioPath}?access=none`, words.ask, 'primary')
    : buttonLink(portfolioPath, words.toPortfolio);
  const list =
    items.length > 0
      ? table({
          label: words.title,
          columns: [words.company, words.what, m.requests.status, words.until, words.asked],
          rows: items.map((each) => row(each, context)),
          isBlocks: true,
        })
      : isNothing
        ? emptyState({ title: words.emptyTitle, text: words.empty, action: toPortfolio })
        : emptyState({ title: words.nothingTitle, action: buttonLink(path, m.activity.clear) });
  return {
    title: words.title,
    section: 'requests',
    main: html`<p class="lead">${words.lead}</p>
${
  isNothing
    ? nothing
    : html`<div class="bar"><form method="get" action="${path}" class="filters">
<div><label for="status">${m.requests.status}</label>
${select('status', m.requests.any, Object.entries(words.statuses), status)}</div>
<button>${m.show}</button>
${status === undefined ? nothing : buttonLink(path, m.activity.clear)}</form>
${items.length > 0 ? toPortfolio : nothing}</div>`
}
${list}
${isFirst && !next ? nothing : html`<p class="actions">${isFirst ? nothing : buttonLink(path, m.newest)} ${next}</p>`}`,
  };
}

export const ownRequestsRoutes = [forInvestors.get('/requests', requestsPage)];
