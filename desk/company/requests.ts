import { accessRequestStatuses, type ReadableRequest } from '#core';
import { emptyState, older, select } from '../components/lists.ts';
import { readableOrAsked, scopeNames, statusBadge } from '../components/request-facts.ts';
import { table } from '../components/table.ts';
import { formatDay } from '../components/time.ts';
import type { ContactContext } from '../context.ts';
import { html, nothing } from '../html.ts';
import { forContacts } from '../route.ts';

function row(received: ReadableRequest, { language }: ContactContext) {
  const { m } = language;
  const { accessRequest, investor } = received;
  const { id, pendingScopes } = accessRequest;
  return [
    html`<a href="/desk/requests/${id}"><bdi>${investor.name}</bdi></a>`,
    html`${scopeNames(readableOrAsked(received), language) || m.grants.onHold}${pendingScopes.length === 0 ? nothing : html` <span class="badge pending">${m.grants.asksMore}</span> ${scopeNames(pendingScopes, language)}`}`,
    statusBadge(accessRequest.status, m),
    formatDay(accessRequest.createdAt, language),
  ];
}

/** Lists all requests, newest first. */
export const requestsRoutes = [
  forContacts.get('/requests', async (context) => {
    const { caller, useCases, language, query } = context;
    const { m } = language;
    const words = m.requests;
    const status = accessRequestStatuses.find((each) => each === query.status);
    const { items, nextCursor } = await useCases.company.listReceivedRequests(caller, {
      status,
      cursor: query.cursor,
    });
    const next = older('/desk/requests', { status, cursor: nextCursor }, m);
    return {
      title: words.title,
      section: 'inbox',
      parent: { path: '/desk/', title: m.inbox.title },
      main: html`<form method="get" action="/desk/requests" class="filters">
<div><label for="status">${words.status}</label>
${select('status', words.any, Object.entries(m.statuses), status)}</div>
<button>${m.show}</button></form>
${
  items.length === 0
    ? emptyState({
        title: words.empty,
        text: status === undefined ? words.emptyHint : nothing,
        action:
          status === undefined ? nothing : html`<a href="/desk/requests">${m.activity.clear}</a>`,
      })
    : table({
        label: words.title,
        columns: [words.investor, words.scopes, words.status, words.asked],
        rows: items.map((each) => row(each, context)),
        isBlocks: true,
      })
}
${next && html`<p>${next}</p>`}`,
    };
  }),
];
