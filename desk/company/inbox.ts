import { latestPurpose, type ReceivedRequest, undecidedScopes } from '#core';
import { older } from '../components/lists.ts';
import { recordLine, unlessArchiveIsAway } from '../components/record-line.ts';
import { quote, scopeList } from '../components/request-facts.ts';
import { formatRelative } from '../components/time.ts';
import type { ContactContext } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import { forContacts } from '../route.ts';

const waitingShown = 20;
const endingDays = 30;
const recentShown = 5;

function waitingCard(
  { accessRequest, investor }: ReceivedRequest,
  { language, now }: ContactContext,
): Html {
  const { m } = language;
  const purpose = latestPurpose(accessRequest);
  const asks = accessRequest.status === 'approved' ? m.inbox.asksMore : m.inbox.asks;
  return html`<li class="card">
<h3>${asks(investor.name)}</h3>
${scopeList(undecidedScopes(accessRequest), m)}
${purpose === null ? html`<p class="hint">${m.inbox.noPurpose}</p>` : quote(purpose)}
<p class="facts"><span>${m.inbox.asked} ${formatRelative(accessRequest.createdAt, now, language)}</span>
<span>${m.inbox.lapses} ${formatRelative(accessRequest.deadlineAt, now, language)}</span></p>
<a class="button primary" href="/desk/requests/${accessRequest.id}" aria-label="${m.inbox.reviewOf(investor.name)}">${m.inbox.review}</a>
</li>`;
}

function endingItem(
  { accessRequest, investor }: ReceivedRequest,
  { language, now }: ContactContext,
): Html {
  return html`<li><a href="/desk/requests/${accessRequest.id}"><bdi>${investor.name}</bdi></a>
<span class="hint">${language.m.inbox.ends(language.format.relative(accessRequest.deadlineAt, now))}</span></li>`;
}

export const inboxRoutes = [
  forContacts.get('/', async (context) => {
    const { caller, useCases, language, now, mails } = context;
    const { m } = language;
    const [waiting, inAll, ending, recent] = await Promise.all([
      useCases.company.listWaitingRequests(caller, {
        limit: waitingShown,
        cursor: context.query.cursor,
      }),
      useCases.company.countReceivedRequests(caller),
      useCases.company.listEndingGrants(caller, { withinDays: endingDays }),
      unlessArchiveIsAway(useCases.company.listReceivedRecords(caller, { limit: recentShown })),
    ]);
    const next = older('/desk/', { cursor: waiting.nextCursor }, m);
    return {
      title: m.inbox.title,
      section: 'inbox',
      main: html`${
        ending.length === 0
          ? nothing
          : html`<section class="ending" aria-labelledby="ending"><h2 id="ending">${m.inbox.endingTitle}</h2>
<ul class="lines">${ending.map((each) => endingItem(each, context))}</ul></section>`
      }
<section aria-labelledby="waiting"><h2 id="waiting">${m.inbox.waitingTitle}</h2>
${
  inAll.count > waitingShown
    ? html`<p class="hint">${m.inbox.count(`${language.format.number(inAll.count)}${inAll.hasMore ? '+' : ''}`)}</p>`
    : nothing
}
${
  waiting.items.length === 0
    ? html`<div class="empty"><p>${m.inbox.empty}</p><p class="hint">${mails.notices ? m.inbox.emptyHint : m.inbox.emptyHintNoMail}</p></div>`
    : html`<ul class="cards">${waiting.items.map((each) => waitingCard(each, context))}</ul>`
}
${next && html`<p>${next}</p>`}
</section>
<p class="actions"><a href="/desk/requests">${m.inbox.all}</a></p>
${
  recent?.items.length === 0
    ? nothing
    : html`<section class="panel" aria-labelledby="recent"><h2 id="recent">${m.inbox.recentTitle}</h2>
${recent === null ? html`<p>${m.activity.archiveAway}</p>` : html`<ul class="lines">${recent.items.map((record) => recordLine(record, now, language))}</ul>`}
<p class="actions"><a href="/desk/activity">${m.inbox.seeAll}</a></p></section>`
}`,
    };
  }),
];
