import type { GrantUsage, ReceivedRequest } from '#core';
import { older } from '../components/lists.ts';
import { formatRelative, scopeNames } from '../components/request-facts.ts';
import type { ContactContext } from '../context.ts';
import { fact, type Html, html, nothing } from '../html.ts';
import { forContacts } from '../route.ts';

const endingDays = 30;

function grantCard(
  { accessRequest, investor }: ReceivedRequest,
  usage: GrantUsage | undefined,
  { language, now }: ContactContext,
): Html {
  const { m, format } = language;
  const { id, approvedScopes, pendingScopes, expiresAt } = accessRequest;
  const link = (hash: string, text: string) =>
    html`<a class="button" href="/desk/requests/${id}${hash}">${text}<span class="visually-hidden">${m.grants.of(investor.name)}</span></a>`;
  return html`<li class="card">
<h3><a href="/desk/requests/${id}"><bdi>${investor.name}</bdi></a></h3>
<p>${scopeNames(approvedScopes, language)}</p>
${pendingScopes.length === 0 ? nothing : html`<p><span class="badge pending">${m.grants.asksMore}</span> ${scopeNames(pendingScopes, language)}</p>`}
<dl class="facts">
${expiresAt === null ? nothing : fact(m.grants.until, html`${format.date(expiresAt)} (${formatRelative(expiresAt, now, language)})`)}
${fact(m.grants.reads, format.number(usage?.reads ?? 0))}
${fact(m.grants.lastRead, usage?.lastReadAt ? formatRelative(usage.lastReadAt, now, language) : m.never)}
</dl>
<p class="actions">${link('#extend', m.grants.extend)} ${link('#revoke', m.grants.revoke)}</p>
</li>`;
}

export const grantsRoutes = [
  forContacts.get('/grants', async (context) => {
    const { caller, useCases, language, query } = context;
    const { m } = language;
    const [ending, { items, nextCursor }] = await Promise.all([
      useCases.company.listEndingGrants(caller, { withinDays: endingDays }),
      useCases.company.listReceivedRequests(caller, {
        status: 'approved',
        cursor: query.cursor,
      }),
    ]);
    const isOnTop = new Set(ending.map(({ accessRequest }) => accessRequest.id));
    const others = items.filter(({ accessRequest }) => !isOnTop.has(accessRequest.id));
    const top = query.cursor === undefined ? ending : [];
    const ids = [...top, ...others].map(({ accessRequest }) => accessRequest.id);
    const usages = await useCases.company.readGrantUsage(caller, { ids });
    const usageOf = new Map(usages.map((usage) => [usage.accessRequestId, usage]));
    const cards = (grants: readonly ReceivedRequest[]) =>
      html`<ul class="cards">${grants.map((each) => grantCard(each, usageOf.get(each.accessRequest.id), context))}</ul>`;
    const next = older('/desk/grants', { cursor: nextCursor }, m);
    const isEmpty = ending.length === 0 && items.length === 0 && query.cursor === undefined;
    return {
      title: m.grants.title,
      section: 'grants',
      showsReads: true,
      main: isEmpty
        ? html`<div class="empty"><p>${m.grants.nothing}</p><p class="hint">${m.grants.nothingHint}</p></div>`
        : html`<p class="lead">${m.grants.lead}</p>
${top.length > 0 ? html`<section aria-labelledby="ending"><h2 id="ending">${m.grants.endingTitle}</h2>${cards(top)}</section>` : nothing}
<section aria-labelledby="others"><h2 id="others">${m.grants.allTitle}</h2>
${others.length === 0 ? html`<p class="hint">${m.grants.noOthers}</p>` : cards(others)}
${next && html`<p class="actions">${next}</p>`}
</section>`,
    };
  }),
];
