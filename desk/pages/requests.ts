import { accessRequestStatuses, type ReceivedRequest } from '#core';
import { formatRelative, scopeNames, statusBadge } from '../components/request-facts.ts';
import type { ContactContext } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Route } from '../route.ts';

function row(
  { accessRequest, investor }: ReceivedRequest,
  { language, now }: ContactContext,
): Html {
  const { m } = language;
  const { approvedScopes, pendingScopes, requestedScopes } = accessRequest;
  // What is shared, or was; of what never was, what was asked.
  const scopes = approvedScopes.length > 0 ? approvedScopes : requestedScopes;
  return html`<tr>
<th scope="row"><a href="/desk/requests/${accessRequest.id}"><bdi>${investor.name}</bdi></a></th>
<td>${scopeNames(scopes, language)}${pendingScopes.length === 0 ? nothing : html` <span class="badge pending">${m.grants.asksMore}</span> ${scopeNames(pendingScopes, language)}`}</td>
<td>${statusBadge(accessRequest.status, m)}</td>
<td>${formatRelative(accessRequest.createdAt, now, language)}</td>
</tr>`;
}

/** Every request that was ever made, newest first. */
export const requestsRoutes: Route[] = [
  {
    method: 'GET',
    path: '/requests',
    access: 'contact',
    async handle(context) {
      const { caller, useCases, language, query } = context;
      const { m } = language;
      const status = accessRequestStatuses.find((each) => each === query.status);
      const { items, nextCursor } = await useCases.company.listReceivedRequests(caller, {
        status,
        cursor: query.cursor,
      });
      const next = new URLSearchParams({ ...(status && { status }), cursor: nextCursor ?? '' });
      return {
        title: m.requests.title,
        section: 'inbox',
        main: html`<form method="get" action="/desk/requests" class="filters">
<label for="status">${m.requests.filter}</label>
<select id="status" name="status"><option value="">${m.requests.any}</option>
${accessRequestStatuses.map(
  (each) =>
    html`<option value="${each}"${each === status ? html` selected` : nothing}>${m.statuses[each]}</option>`,
)}</select>
<button>${m.requests.show}</button></form>
${
  items.length === 0
    ? html`<p class="empty">${m.requests.empty}</p>`
    : html`<div class="scroll" role="region" aria-label="${m.requests.title}" tabindex="0"><table>
<thead><tr><th scope="col">${m.requests.investor}</th><th scope="col">${m.requests.scopes}</th><th scope="col">${m.requests.status}</th><th scope="col">${m.requests.asked}</th></tr></thead>
<tbody>${items.map((each) => row(each, context))}</tbody></table></div>`
}
${nextCursor === null ? nothing : html`<p><a class="button" rel="next" href="/desk/requests?${next.toString()}">${m.more}</a></p>`}`,
      };
    },
  },
];
