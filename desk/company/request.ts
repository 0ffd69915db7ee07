import {
  AccessError,
  type AccessRequest,
  decisionTypes,
  eventsOf,
  findEndedAt,
  isLive,
  isOfInvestor,
  latestPurpose,
  loadData,
  type ReceivedRequestDetails,
  type RequestWithActors,
} from '#core';
import { limitFacts, pausedBadge } from '../components/limits.ts';
import { type Labels, labelsOf } from '../components/records.ts';
import {
  type DescribeActor,
  historyItem,
  quote,
  scopeList,
  statusBadge,
} from '../components/request-facts.ts';
import { formatExactly, formatRelative } from '../components/time.ts';
import type { ContactContext, Page } from '../context.ts';
import { alert, fact, type Html, html, nothing, success } from '../html.ts';
import type { Messages } from '../messages/index.ts';
import { forContacts } from '../route.ts';
import { decisionForms } from './components/decision-forms.ts';
import { previews } from './components/preview.ts';
import { firstApproval, type Invalid } from './limits.ts';

interface Feedback {
  readonly notice?: Html;
  readonly invalid?: Invalid;
  readonly status?: number;
}

export const sectionOf = ({ status }: AccessRequest) =>
  status === 'approved' ? ('grants' as const) : ('inbox' as const);

export async function requestPage(context: ContactContext, feedback: Feedback = {}): Promise<Page> {
  const { caller, useCases, language, id } = context;
  const { m } = language;
  const details = await useCases.company.readReceivedRequestWithActors(caller, { id });
  const { accessRequest, investor } = details;
  const describeActor = describeActorForCompany(details, m);
  const [preview, metrics, approvalsRequired] = await Promise.all([
    previews(details, context),
    readLabels(accessRequest, context),
    useCases.company.readApprovalsRequired(caller),
  ]);
  const needsSecond = approvalsRequired === 2 && firstApproval(accessRequest) !== null;
  const forms = { request: accessRequest, metrics, approvalsRequired };
  return {
    title: m.request.title(investor.name),
    section: sectionOf(accessRequest),
    status: feedback.status ?? 200,
    path: `/desk/requests/${accessRequest.id}`,
    parent:
      accessRequest.status === 'approved'
        ? { path: '/desk/grants', title: m.nav.grants }
        : { path: '/desk/requests', title: m.requests.title },
    main: html`${feedback.notice ?? doneNotice(accessRequest, context)}
<div class="beside"><div>
${needsSecond ? html`<div class="notice wait"><strong>${m.inbox.needsSecond}</strong><p>${m.request.twoPeople}</p></div>` : nothing}
${facts(details, metrics, context)}
${preview}</div>
<aside aria-label="${m.request.approveTitle}">${decisionForms(forms, context, feedback.invalid)}</aside>
<section aria-labelledby="history"><h2 id="history">${m.request.history}</h2>
<ol class="timeline">${details.history.map((event) => historyItem(event, describeActor, language))}</ol>
<p class="hint">${m.request.receiptsHint}</p>
<p><a class="button" href="/desk/requests/${accessRequest.id}/receipts">${m.request.showReceipts}</a></p></section></div>`,
  };
}

/** Reads nothing if the request has no metrics. */
export async function readLabels(
  { requestedScopes, pendingScopes }: AccessRequest,
  { caller, useCases, language }: ContactContext,
): Promise<Labels> {
  const hasMetrics = [...requestedScopes, ...pendingScopes].includes('metrics:read');
  if (!hasMetrics) return new Map();
  return labelsOf(await loadData(await useCases.company.readOwnMetrics(caller, {})), language);
}

/** For a live request, omits the scopes, because the page shows them below. */
function facts(
  { accessRequest }: ReceivedRequestDetails,
  labels: Labels,
  { language, now }: ContactContext,
): Html {
  const { m } = language;
  const { status, expiresAt, decidedAt, deadlineAt, createdAt } = accessRequest;
  // A grant can end without a decision by the company: the grant expires, or the investor gives it up.
  const ended = status === 'expired' ? findEndedAt(accessRequest) : null;
  const why = latestPurpose(accessRequest);
  const scopes = isLive(accessRequest) ? [] : accessRequest.requestedScopes;
  return html`<dl class="facts">
${fact(m.status, html`${statusBadge(status, m)}${pausedBadge(accessRequest, language)}`)}
${fact(m.asked, formatExactly(createdAt, language))}
${status === 'pending' ? fact(m.request.lapses, formatRelative(deadlineAt, now, language)) : nothing}
${decidedAt ? fact(m.request.decided, formatExactly(decidedAt, language)) : nothing}
${ended ? fact(m.request.ended, formatExactly(ended, language)) : nothing}
${status === 'approved' && expiresAt ? fact(m.request.until, html`${formatExactly(expiresAt, language)} <span class="hint">(${formatRelative(expiresAt, now, language)})</span>`) : nothing}
${limitFacts(accessRequest, language, labels)}
</dl>
<h2>${m.request.purpose}</h2>
${why === null ? html`<p class="hint">${m.request.noPurpose}</p>` : quote(why)}
${scopes.length === 0 ? nothing : html`<h2>${m.request.asksFor}</h2>${scopeList(scopes, m)}`}`;
}

export const describeActorForCompany =
  (
    { actors, investor }: Pick<RequestWithActors, 'actors' | 'investor'>,
    m: Messages,
  ): DescribeActor =>
  ({ type, actor }) => {
    // The company sees only the investor's name, not the name of the person who acted for the investor.
    if (actor.type === 'contact' && isOfInvestor(type)) return m.actors.personOf(investor.name);
    const label = actor.id === null ? null : actors.get(actor.id);
    return label == null ? m.actors[actor.type] : `${m.actors[actor.type]} ${label}`;
  };

/**
 * Confirms the user's decision. Other sites can link to this page, so the request's last event must be this decision.
 */
function doneNotice({ lastEventType }: AccessRequest, context: ContactContext): Html {
  const { m } = context.language;
  const done = decisionTypes.find((each) => each === context.query.done);
  if (done === undefined) return html``;
  return eventsOf(done).has(lastEventType) ? success(m.done[done]) : html``;
}

export const requestRoutes = [
  forContacts.get('/requests/:id', (context) => requestPage(context)),
  // If the user goes back from the confirmation page, shows the form again with the user's choices.
  forContacts.post('/requests/:id', (context) => requestPage(context)),
];

/** Returns null for an error that doesn't reject a decision. */
export async function refusedDecisionPage(
  context: ContactContext,
  error: unknown,
): Promise<Page | null> {
  if (!(error instanceof AccessError)) return null;
  const { m } = context.language;
  switch (error.code) {
    case 'request_changed':
    case 'illegal_transition':
      return requestPage(context, {
        notice: alert(m.nothingChanged, m.done.changed),
        status: 409,
      });
    case 'invalid_decision':
      return requestPage(context, {
        invalid: { field: error.details.param === 'scopes' ? 'scopes' : 'until' },
        status: 422,
      });
    default:
      return null;
  }
}
