import {
  addDays,
  coveringTerms,
  hasPermission,
  type Page as ListPage,
  latestPurpose,
  type ReceivedRecord,
  type ReceivedRequest,
  undecidedScopes,
} from '#core';
import { limitsInShort } from '../components/limits.ts';
import { emptyState, older } from '../components/lists.ts';
import { groupLine, groupRecords } from '../components/records.ts';
import { quote, scopeNames } from '../components/request-facts.ts';
import { formatRelative } from '../components/time.ts';
import type { ContactContext } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import { forContacts } from '../route.ts';
import { endingDays } from './grants.ts';
import { firstApproval } from './limits.ts';

const waitingShown = 20;
const recentRecords = 100;
const readersShown = 5;
const urgentDays = 7;

function waitingCard(
  { accessRequest, investor }: ReceivedRequest,
  { language, now }: ContactContext,
): Html {
  const { m } = language;
  const purpose = latestPurpose(accessRequest);
  const isAddition = accessRequest.status === 'approved';
  const asksFor = isAddition ? m.inbox.asksMore : m.inbox.asks;
  const undecided = undecidedScopes(accessRequest);
  const limits = limitsInShort(coveringTerms(accessRequest), language);
  const lapses = formatRelative(accessRequest.deadlineAt, now, language);
  // Shows the creation time only for a new request. For an addition to a grant, the creation time of the original
  // request would mislead.
  const createdNote = html`${m.asked} ${formatRelative(accessRequest.createdAt, now, language)} · `;
  const isUrgent = accessRequest.deadlineAt < addDays(now, urgentDays);
  return html`<li class="card"><div>
<h3>${undecided.length === 0 ? m.inbox.asksWider(investor.name) : `${asksFor(investor.name)} ${scopeNames(undecided, language)}`}</h3>
${limits && html`<p>${limits}</p>`}
${purpose === null ? html`<p class="hint">${m.inbox.noPurpose}</p>` : quote(purpose)}
${firstApproval(accessRequest) === null ? nothing : html`<p><span class="badge pending">${m.inbox.needsSecond}</span></p>`}
<p class="hint">${isAddition ? nothing : createdNote}${isUrgent ? html`<span class="badge pending">${m.expires} ${lapses}</span>` : html`${m.expires} ${lapses}`}</p></div>
<a class="button" href="/desk/requests/${accessRequest.id}" aria-label="${m.inbox.reviewOf(investor.name)}">${m.inbox.review}</a>
</li>`;
}

function grantsPanel(
  id: 'ending' | 'review',
  grants: readonly ReceivedRequest[],
  { language, now }: ContactContext,
): Html | string {
  const { inbox: words } = language.m;
  if (grants.length === 0) return nothing;
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${words[`${id}Title`]}</h2>
${id === 'review' ? html`<p class="hint">${words.reviewHint}</p>` : nothing}
<ul class="lines">${grants.map(
    ({
      accessRequest: { id, deadlineAt },
      investor,
    }) => html`<li><a href="/desk/requests/${id}"><bdi>${investor.name}</bdi></a>
<span class="hint">${words.ends} ${formatRelative(deadlineAt, now, language)}</span></li>`,
  )}</ul></section>`;
}

function recentPanel(
  { items, nextCursor }: ListPage<ReceivedRecord>,
  { language, now }: ContactContext,
): Html | string {
  const { m, format } = language;
  if (items.length === 0) return nothing;
  const readers = groupRecords(items).slice(0, readersShown);
  return html`<section class="panel" aria-labelledby="recent"><h2 id="recent">${m.inbox.recentTitle}</h2>
<ul class="lines">${readers.map((each) => groupLine(each, now, language))}</ul>
${nextCursor === null ? nothing : html`<p class="hint">${m.activity.countedAmong(format.number(items.length))}</p>`}
<p><a href="/desk/activity">${m.inbox.seeAll}</a></p></section>`;
}

export const inboxRoutes = [
  forContacts.get('/', async (context) => {
    const { caller, useCases, language, mails } = context;
    const { m, format } = language;
    const [waiting, inAll, ending, review, recent] = await Promise.all([
      useCases.company.listWaitingRequests(caller, {
        limit: waitingShown,
        cursor: context.query.cursor,
      }),
      useCases.company.countReceivedRequests(caller),
      useCases.company.listEndingGrants(caller, { withinDays: endingDays }),
      useCases.company.listGrantsToReview(caller),
      useCases.company.listReceivedRecords(caller, { limit: recentRecords }),
    ]);
    const next = older('/desk/', { cursor: waiting.nextCursor }, m);
    const inReview = new Set(review.map(({ accessRequest: { id } }) => id));
    const otherEnding = ending.filter(({ accessRequest: { id } }) => !inReview.has(id));
    const sidePanels = [
      // Silence changes nothing: these grants stay as they are.
      grantsPanel('review', review, context),
      grantsPanel('ending', otherEnding, context),
      recentPanel(recent, context),
    ];
    const hasSidePanels = sidePanels.some((panel) => panel !== nothing);
    return {
      title: m.nav.inbox,
      section: 'inbox',
      main: html`<div${hasSidePanels ? html` class="beside"` : nothing}><section aria-labelledby="waiting"><div class="bar"><h2 id="waiting">${m.inbox.waitingTitle}</h2>
<a href="/desk/requests">${m.requests.title}</a></div>
${
  inAll.count > waitingShown
    ? html`<p class="hint">${m.inbox.count(`${format.number(inAll.count)}${inAll.hasMore ? '+' : ''}`)}</p>`
    : nothing
}
${
  waiting.items.length === 0
    ? emptyState({
        title: m.inbox.empty,
        text: mails.notices ? m.inbox.emptyHint : m.inbox.emptyHintNoMail,
        action: html`<a class="button" href="/desk/data">${m.inbox.emptyAction}</a>${hasPermission(caller, 'enter_data') ? html` <a class="button" href="/desk/data/upload">${m.data.upload.link}</a>` : nothing}`,
      })
    : html`<ul class="cards rows">${waiting.items.map((each) => waitingCard(each, context))}</ul>`
}
${next && html`<p>${next}</p>`}
</section>
${hasSidePanels ? html`<div class="aside">${sidePanels}</div>` : nothing}</div>`,
    };
  }),
];
