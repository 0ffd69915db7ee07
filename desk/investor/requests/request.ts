import {
  type AccessEvent,
  type AccessRequest,
  findEndedAt,
  isFirstUse,
  isLive,
  latestPurpose,
  type OwnRequestDetails,
  requestableScopes,
  uncoveredScopes,
} from '#core';
import { buttonLink } from '../../components/buttons.ts';
import { onceField } from '../../components/fields.ts';
import { limitFacts, pausedBadge } from '../../components/limits.ts';
import { historyItem, quote, scopeNames, statusBadge } from '../../components/request-facts.ts';
import { showIfAllowed } from '../../components/role-note.ts';
import { formatDay, formatExactly, formatRelative } from '../../components/time.ts';
import type { InvestorContext, Page } from '../../context.ts';
import { alert, fact, type Html, html, nothing, success } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { type AskErrors, askForm, presentTerms } from '../ask-form.ts';
import { companyPath } from '../paths.ts';
import { companyName, describeActorForInvestor } from './words.ts';

interface Feedback {
  readonly notice?: Html;
  readonly errors?: AskErrors;
  readonly status?: number;
}

export async function ownRequestPage(
  context: InvestorContext,
  feedback: Feedback = {},
): Promise<Page> {
  const { caller, useCases, language, id } = context;
  const { m } = language;
  const words = m.ownRequests.request;
  const details = await useCases.investor.readOwnRequest(caller, { id });
  const { accessRequest, company } = details;
  const describeActor = describeActorForInvestor(details, m);
  const path = `/desk/requests/${accessRequest.id}`;
  const isUnread = accessRequest.status === 'approved' && isFirstUse(accessRequest);
  const hint = accessRequest.pausedAt === null ? isUnread && words.firstReadHint : words.paused;
  return {
    title: words.title(companyName(details, m)),
    section: 'requests',
    status: feedback.status ?? 200,
    path,
    parent: { path: '/desk/requests', title: m.nav.requests },
    main: html`${feedback.notice ?? doneNotice(accessRequest, context)}
<div class="beside"><div>
<p>${statusBadge(accessRequest.status, m.ownRequests.requests)}${pausedBadge(accessRequest, language)}${company === null ? nothing : html` <a href="${companyPath(company.id)}">${accessRequest.status === 'approved' ? words.toFigures : words.toCompany}</a>`}</p>
${hint && html`<p class="notice wait">${hint}</p>`}
${facts(details, context)}
<section aria-labelledby="history"><h2 id="history">${m.request.history}</h2>
<ol class="timeline">${withoutLastReason(details).map((event) => historyItem(event, describeActor, language))}</ol></section>
${
  company === null
    ? nothing
    : html`<section aria-labelledby="receipts"><h2 id="receipts">${words.receipts}</h2>
<p class="hint">${m.request.receiptsHint}</p>
<p class="actions">${buttonLink(`${path}/receipts`, m.request.showReceipts)} ${buttonLink(`/desk/activity?company=${accessRequest.companyId}`, words.ourReads)}</p></section>`
}</div>
<aside>${showIfAllowed(context, 'ask', () => acts(details, context, feedback.errors))}</aside></div>`,
  };
}

/** The page already shows the company's last reason above. */
function withoutLastReason({ accessRequest, history }: OwnRequestDetails): readonly AccessEvent[] {
  const last = history.findLastIndex(({ reason }) => reason === accessRequest.reason);
  return history.map((event, index) => (index === last ? { ...event, reason: null } : event));
}

function facts(
  { accessRequest, readableScopes }: OwnRequestDetails,
  { language, now }: InvestorContext,
): Html {
  const words = language.m.ownRequests.request;
  const { status, requestedScopes, pendingScopes, reason, ...dates } = accessRequest;
  const isPending = status === 'pending';
  const isGranted = status === 'approved';
  const ended = findEndedAt(accessRequest);
  const why = latestPurpose(accessRequest);
  const notGranted = uncoveredScopes(accessRequest, requestedScopes);
  const named = (name: string, scopes: typeof requestedScopes) =>
    scopes.length === 0 ? nothing : fact(name, scopeNames(scopes, language));
  return html`<dl class="facts">
${isGranted ? named(words.reads, readableScopes) : named(isPending ? words.wants : words.wanted, requestedScopes)}
${named(words.wantsMore, pendingScopes)}
${isGranted ? named(words.notGranted, notGranted) : nothing}
${limitFacts(accessRequest, language)}
${isGranted && dates.expiresAt ? fact(language.m.until, formatDay(dates.expiresAt, language)) : nothing}
${ended ? fact(language.m.request.ended, formatExactly(ended, language)) : nothing}
${isPending ? fact(language.m.request.lapses, formatRelative(dates.deadlineAt, now, language)) : nothing}
</dl>
${reason === null ? nothing : html`<h2>${isGranted && !accessRequest.additionDeclined ? words.message : words.reason}</h2>${quote(reason)}`}
<h2>${words.purpose}</h2>
${why === null ? html`<p class="hint">${words.noPurpose}</p>` : quote(why)}`;
}

/** A live access request can be extended or withdrawn. After it has ended, the investor can send a new one. */
function acts(
  { accessRequest, company }: OwnRequestDetails,
  context: InvestorContext,
  errors: AskErrors | undefined,
): Html {
  const { ownRequests, figures } = context.language.m;
  const { request: words } = ownRequests;
  const { titleMore: more } = figures.ask;
  const { id, status, requestedScopes, requestedTerms, purpose } = accessRequest;
  const path = `/desk/requests/${id}`;
  const offered = requestableScopes(accessRequest);
  if (!isLive(accessRequest))
    return company === null
      ? html`<p class="notice">${words.left}</p>`
      : html`<section class="panel" aria-labelledby="again"><h2 id="again">${words.againTitle}</h2>
<p class="hint">${words.againHint}</p>
${askForm({ action: `${path}/again`, button: words.ask, offered, chosen: { scopes: requestedScopes, purpose, terms: requestedTerms }, errors, fields: onceField() }, context)}</section>`;
  const isGranted = status === 'approved';
  const terms = presentTerms(accessRequest);
  const amend =
    (offered.length === 0 && terms === null) || company === null
      ? nothing
      : html`<section class="panel" aria-labelledby="amend"><h2 id="amend">${more}</h2>
<p class="hint">${isGranted ? words.amendGranted : words.amendPending}</p>
${askForm({ action: `${path}/amend`, button: more, offered, chosen: { scopes: [], purpose: null, terms }, isAddition: true, errors }, context)}</section>`;
  return html`${amend}
<section class="panel" aria-labelledby="withdraw"><h2 id="withdraw">${isGranted ? words.giveUpTitle : words.withdrawTitle}</h2>
<p class="hint">${isGranted ? words.giveUpHint : words.withdrawHint}</p>
<p>${buttonLink(`${path}/withdraw`, isGranted ? words.giveUp : words.withdraw, 'danger')}</p></section>`;
}

/** Any site can link to this page, so the notice appears only if the access request shows the action. */
function doneNotice(
  accessRequest: AccessRequest,
  { query, language: { m } }: InvestorContext,
): Html {
  const { amended, withdrawn, created, existing } = m.ownRequests.request;
  const done = query.done ?? '';
  const texts = new Map(Object.entries({ amended, withdrawn, created, existing }));
  const text = texts.get(done);
  const isTrue =
    done === 'existing'
      ? isLive(accessRequest)
      : accessRequest.lastEventType === `access_request.${done}`;
  return text !== undefined && isTrue ? success(text) : html``;
}

export const changedPage = (context: InvestorContext, text: string): Promise<Page> => {
  const { nothingChanged } = context.language.m;
  return ownRequestPage(context, { notice: alert(nothingChanged, text), status: 409 });
};

export const ownRequestRoutes = [
  forInvestors.get('/requests/:id', (context) => ownRequestPage(context)),
];
