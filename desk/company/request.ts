import {
  AccessError,
  type AccessEvent,
  type AccessRequest,
  decisionTypes,
  eventsOf,
  latestPurpose,
  type ReceivedRequestDetails,
} from '#core';
import { quote, scopeList, scopeNames, statusBadge } from '../components/request-facts.ts';
import { formatExactly, formatRelative } from '../components/time.ts';
import type { ContactContext, Page } from '../context.ts';
import { alert, fact, type Html, html, nothing, success } from '../html.ts';
import { forContacts } from '../route.ts';
import { decisionForms } from './components/decision-forms.ts';
import { previews } from './components/preview.ts';
import type { Invalid } from './decision.ts';

interface Feedback {
  readonly notice?: Html;
  readonly invalid?: Invalid;
  readonly status?: number;
}

/** A request with all that is known of it, and what can be decided. */
export async function requestPage(context: ContactContext, feedback: Feedback = {}): Promise<Page> {
  const { caller, useCases, language, id } = context;
  const { m } = language;
  const details = await useCases.company.readReceivedRequestWithActors(caller, { id });
  const { accessRequest, investor, actors } = details;
  const preview = await previews(details, context);
  return {
    title: m.request.title(investor.name),
    section: accessRequest.status === 'approved' ? 'grants' : 'inbox',
    status: feedback.status ?? 200,
    isStill: feedback.notice !== undefined || feedback.invalid !== undefined,
    path: `/desk/requests/${accessRequest.id}`,
    main: html`${feedback.notice ?? doneNotice(accessRequest, context)}
<p>${statusBadge(accessRequest.status, m)}</p>
${facts(details, context)}
${preview}
${decisionForms(accessRequest, context, feedback.invalid)}
<section aria-labelledby="history"><h2 id="history">${m.request.history}</h2>
<ol class="timeline">${details.history.map((event) => historyItem(event, actors, context))}</ol></section>
<section aria-labelledby="receipts"><h2 id="receipts">${m.request.receipts}</h2>
<p class="hint">${m.request.receiptsHint}</p>
<p><a class="button" href="/desk/requests/${accessRequest.id}/receipts">${m.request.showReceipts}</a></p></section>`,
  };
}

function facts({ accessRequest }: ReceivedRequestDetails, { language, now }: ContactContext): Html {
  const { m } = language;
  const { status, pendingScopes, reason } = accessRequest;
  const isPending = status === 'pending';
  const why = latestPurpose(accessRequest);
  return html`<dl class="facts">
${fact(m.request.asked, formatExactly(accessRequest.createdAt, language))}
${isPending ? fact(m.request.lapses, formatRelative(accessRequest.deadlineAt, now, language)) : nothing}
${status === 'approved' && accessRequest.expiresAt ? fact(m.request.until, formatExactly(accessRequest.expiresAt, language)) : nothing}
${accessRequest.decidedAt ? fact(m.request.decided, formatExactly(accessRequest.decidedAt, language)) : nothing}
</dl>
${isPending ? html`<h2>${m.request.wants}</h2>${scopeList(accessRequest.requestedScopes, m)}` : nothing}
${status === 'approved' ? html`<h2>${m.request.reads}</h2>${scopeList(accessRequest.approvedScopes, m)}` : nothing}
${pendingScopes.length > 0 ? html`<h2>${m.request.wantsMore}</h2>${scopeList(pendingScopes, m)}` : nothing}
<h2>${m.request.purpose}</h2>
${why === null ? html`<p class="hint">${m.request.noPurpose}</p>` : quote(why)}
${reason === null ? nothing : html`<h2>${m.request.reason}</h2>${quote(reason)}`}`;
}

function historyItem(
  { type, createdAt, actor, reason, accessRequest }: AccessEvent,
  actors: ReadonlyMap<string, string | null>,
  { language }: ContactContext,
): Html {
  const { m } = language;
  const label = actor.id === null ? null : actors.get(actor.id);
  const who = label == null ? m.actors[actor.type] : `${m.actors[actor.type]} ${label}`;
  return html`<li><strong>${m.events[type]}</strong> <bdi>${m.actors.by(who)}</bdi>
<span class="hint">${formatExactly(createdAt, language)}${actor.type === 'contact' ? ` · ${m.ways[actor.signedInBy]}` : ''}</span>
${type === 'access_request.approved' ? html`<p>${scopeNames(accessRequest.approvedScopes, language)}</p>` : nothing}
${reason === null ? nothing : quote(reason)}</li>`;
}

/** What was just done, if the request bears it out: anybody can make a link to this page. */
function doneNotice({ lastEventType }: AccessRequest, context: ContactContext): Html {
  const { m } = context.language;
  const done = decisionTypes.find((each) => each === context.query.done);
  if (done === undefined) return html``;
  return eventsOf(done).has(lastEventType) ? success(m.done[done]) : html``;
}

export const requestRoutes = [forContacts.get('/requests/:id', (context) => requestPage(context))];

/** The page again, with why nothing was changed; null when the failure is another one. */
export async function whyNotDecided(context: ContactContext, error: unknown): Promise<Page | null> {
  if (!(error instanceof AccessError)) return null;
  const { m } = context.language;
  switch (error.code) {
    case 'request_changed':
    case 'illegal_transition':
      return requestPage(context, {
        notice: alert(m.done.changedTitle, m.done.changed),
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
