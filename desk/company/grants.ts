import { awaitsDecision, type GrantUsage, hasPermission, type ReadableRequest } from '#core';
import { buttonLink } from '../components/buttons.ts';
import { pausedBadge, withLimits } from '../components/limits.ts';
import { emptyState, older } from '../components/lists.ts';
import { additionInShort, scopeNames } from '../components/request-facts.ts';
import { actions, numbers, table } from '../components/table.ts';
import { formatDay, formatRelative } from '../components/time.ts';
import type { ContactContext } from '../context.ts';
import { html, nothing } from '../html.ts';
import { forContacts } from '../route.ts';

/** Grants that end within this number of days come first, so that the company has time to extend them. */
export const endingDays = 14;

function row(
  { accessRequest, investor, readableScopes }: ReadableRequest,
  usage: GrantUsage | undefined,
  isEnding: boolean,
  { caller, language, now }: ContactContext,
) {
  const { m, format } = language;
  const { id, approvedTerms, expiresAt } = accessRequest;
  const path = `/desk/requests/${id}`;
  const of = m.grants.of(investor.name);
  const more = html`<br><a href="${path}#approve"><span class="badge pending">${m.grants.asksMore}</span></a> ${additionInShort(accessRequest, language)}`;
  const when = expiresAt && formatRelative(expiresAt, now, language);
  return [
    html`<a href="${path}"><bdi>${investor.name}</bdi></a>`,
    html`${withLimits(scopeNames(readableScopes, language) || m.grants.onHold, approvedTerms, language)}${pausedBadge(accessRequest, language)}${awaitsDecision(accessRequest) ? more : nothing}`,
    html`${expiresAt && formatDay(expiresAt, language)} ${isEnding ? html`<span class="badge pending">${when}</span>` : html`<span class="hint">${when}</span>`}`,
    format.number(usage?.reads ?? 0),
    usage?.lastReadAt ? formatRelative(usage.lastReadAt, now, language) : m.never,
    html`<div class="actions">${hasPermission(caller, 'decide') ? html`${buttonLink(`${path}#extend`, m.request.extend, 'usual', of)}${buttonLink(`${path}#revoke`, m.request.revoke, 'danger', of)}` : nothing}</div>`,
  ];
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
    const rowOf = (isEnding: boolean) => (each: ReadableRequest) =>
      row(each, usageOf.get(each.accessRequest.id), isEnding, context);
    const next = older('/desk/grants', { cursor: nextCursor }, m);
    const isEmpty = ending.length === 0 && items.length === 0 && query.cursor === undefined;
    const words = m.grants;
    return {
      title: m.nav.grants,
      section: 'grants',
      live: { look: 'reads' },
      main: isEmpty
        ? emptyState({
            title: words.nothing,
            text: words.nothingHint,
            action: html`<a href="/desk/">${m.errors.home}</a>`,
          })
        : html`<p class="lead">${words.lead}</p>
${table({
  label: m.nav.grants,
  columns: [
    m.investor,
    words.mayRead,
    m.until,
    numbers(words.reads),
    words.lastRead,
    actions(m.change),
  ],
  rows: [...top.map(rowOf(true)), ...others.map(rowOf(false))],
  isBlocks: true,
})}
${next && html`<p class="actions">${next}</p>`}`,
    };
  }),
];
