import {
  type AccessRequestStatus,
  accessRequestStatuses,
  hasPermission,
  type OwnRequest,
  type ReadableRequest,
  stateOf,
} from '#core';
import { withQuery } from './address.ts';
import { buttonLink } from './components/buttons.ts';
import { pausedBadge } from './components/limits.ts';
import { emptyState, older } from './components/lists.ts';
import { tabs } from './components/navigation.ts';
import {
  accessInShort,
  additionInShort,
  readableOrRequested,
  scopeNames,
  statusBadge,
} from './components/request-facts.ts';
import { table } from './components/table.ts';
import { formatDay, formatRelative } from './components/time.ts';
import { isOfCompany, type OwnerContext, type Page } from './context.ts';
import { type Html, html, nothing } from './html.ts';
import { portfolioPath } from './investor/paths.ts';
import { companyName } from './investor/requests/words.ts';
import type { Language, Messages } from './messages/index.ts';
import { forOwners } from './route.ts';

const path = '/desk/requests';

const added = ({ accessRequest }: OwnRequest | ReadableRequest, word: string, language: Language) =>
  stateOf(accessRequest) === 'amended' &&
  html`<br><span class="badge pending">${word}</span> ${additionInShort(accessRequest, language)}`;

async function readSide(
  context: OwnerContext,
  asked: {
    readonly status: (typeof accessRequestStatuses)[number] | undefined;
    readonly cursor: string | undefined;
  },
) {
  const { useCases, language, now } = context;
  const { m } = language;
  if (isOfCompany(context)) {
    const { items, nextCursor } = await useCases.company.listReceivedRequests(
      context.caller,
      asked,
    );
    const { requests: words } = m;
    return {
      page: {
        title: words.title,
        section: 'inbox',
        parent: { path: '/desk/', title: m.nav.inbox },
      },
      lead: nothing,
      statuses: m.statuses,
      columns: [m.investor, m.what, m.status, m.asked],
      rows: items.map((each) => [
        html`<a href="${path}/${each.accessRequest.id}"><bdi>${each.investor.name}</bdi></a>`,
        html`${scopeNames(readableOrRequested(each), language) || m.grants.onHold}${added(each, m.grants.asksMore, language)}`,
        html`${statusBadge(each.accessRequest.status, m)}${pausedBadge(each.accessRequest, language)}`,
        formatDay(each.accessRequest.createdAt, language),
      ]),
      nextCursor,
      next: nothing,
      empty: { title: words.empty, text: words.emptyHint },
      none: words.empty,
    } as const;
  }
  const { items, nextCursor } = await useCases.investor.listOwnRequests(context.caller, asked);
  const { requests: words } = m.ownRequests;
  const next = hasPermission(context.caller, 'ask')
    ? buttonLink(`${portfolioPath}?access=none`, words.ask, 'primary')
    : buttonLink(portfolioPath, words.toPortfolio);
  return {
    page: { title: m.nav.requests, section: 'requests' },
    lead: html`<p class="lead">${words.lead}</p>`,
    statuses: words.statuses,
    columns: [m.company, m.what, m.status, m.until, m.asked],
    rows: items.map((own) => {
      const { id, status, expiresAt, deadlineAt, createdAt } = own.accessRequest;
      const { approvedTerms, requestedTerms } = own.accessRequest;
      const end =
        status === 'approved' && expiresAt !== null ? formatDay(expiresAt, language) : '–';
      return [
        html`<a href="${path}/${id}"><bdi>${companyName(own, m)}</bdi></a>`,
        html`${accessInShort(readableOrRequested(own), approvedTerms ?? requestedTerms, language)}${added(own, words.asksMore, language)}`,
        html`${statusBadge(status, words)}${pausedBadge(own.accessRequest, language)}`,
        status === 'pending'
          ? html`${words.lapses} ${formatRelative(deadlineAt, now, language)}`
          : end,
        formatDay(createdAt, language),
      ];
    }),
    nextCursor,
    next,
    empty: { title: words.emptyTitle, text: words.empty, action: next },
    none: words.nothingTitle,
  } as const;
}

function statusTabs(
  names: Readonly<Record<AccessRequestStatus, string>>,
  status: AccessRequestStatus | undefined,
  m: Messages,
): Html {
  const all = accessRequestStatuses.map((each) => [each, names[each]] as const);
  return tabs<AccessRequestStatus | 'all'>(
    m.status,
    [['all', m.all], ...all],
    (each) => withQuery(path, { status: each === 'all' ? undefined : each }),
    status ?? 'all',
  );
}

async function requestsPage(context: OwnerContext): Promise<Page> {
  const { language, query } = context;
  const { m } = language;
  const status = accessRequestStatuses.find((each) => each === query.status);
  const side = await readSide(context, { status, cursor: query.cursor });
  const { rows, next } = side;
  const isFirst = query.cursor === undefined;
  const isNothing = rows.length === 0 && status === undefined && isFirst;
  const all = buttonLink(path, m.activity.clear);
  const more = older(path, { status, cursor: side.nextCursor }, m);
  return {
    ...side.page,
    main: html`${side.lead}
${
  isNothing
    ? emptyState(side.empty)
    : html`${statusTabs(side.statuses, status, m)}
${rows.length > 0 && next !== nothing ? html`<p class="actions">${next}</p>` : nothing}
${rows.length > 0 ? table({ label: side.page.title, columns: side.columns, rows, isBlocks: true }) : emptyState({ title: side.none, action: all })}`
}
${isFirst && !more ? nothing : html`<p class="actions">${isFirst ? nothing : buttonLink(path, m.newest)} ${more}</p>`}`,
  };
}

export const requestsRoutes = forOwners.get('/requests', requestsPage);
