import { InputError, type ReceivedRequestDetails } from '#core';
import type { ContactContext, Page } from '../context.ts';
import { type Decision, readDecision } from '../decision.ts';
import { dropDraft, keepDraft } from '../draft.ts';
import { type Html, html, nothing } from '../html.ts';
import { companyFields } from '../parts/layout.ts';
import { alert } from '../parts/notice.ts';
import { quote, scopeList } from '../parts/request-facts.ts';
import type { Route } from '../route.ts';
import { requestPage, whyNotDecided } from './request.ts';

/** Says in words what will happen, and asks for the last click. */
function reviewPage(
  decision: Decision,
  details: ReceivedRequestDetails,
  context: ContactContext,
): Page {
  const { language, caller } = context;
  const { m } = language;
  const { accessRequest, investor } = details;
  const { title, text, button, tone } = wordsOf(decision, details, caller.companyName, context);
  return {
    title,
    section: accessRequest.status === 'approved' ? 'grants' : 'inbox',
    isStill: true,
    path: `/desk/requests/${accessRequest.id}`,
    main: html`<div class="narrow panel">${text}
<form method="post" action="/desk/requests/${accessRequest.id}/decide" class="actions">
${companyFields(context)}
<input type="hidden" name="decision" value="${decision.type}">
<input type="hidden" name="version" value="${decision.version}">
${decision.scopes.map((scope) => html`<input type="hidden" name="scopes" value="${scope}">`)}
${decision.expiresAt ? html`<input type="hidden" name="expires_at" value="${decision.expiresAt.toISOString()}">` : html`<input type="hidden" name="until" value="keep">`}
${decision.reason === null ? nothing : html`<input type="hidden" name="reason" value="${decision.reason}">`}
<button class="${tone}">${button}</button>
<a class="button" href="/desk/requests/${accessRequest.id}" aria-label="${m.back}: ${m.request.title(investor.name)}">${m.back}</a>
</form></div>`,
  };
}

interface Words {
  readonly title: string;
  readonly text: Html;
  readonly button: string;
  readonly tone: 'primary' | 'danger';
}

function wordsOf(
  { type, scopes, expiresAt, reason }: Decision,
  { accessRequest, investor }: ReceivedRequestDetails,
  company: string,
  { language: { m, format } }: ContactContext,
): Words {
  const { review } = m;
  const given =
    reason === null
      ? html`<p>${review.noReason}</p>`
      : html`<p>${review.reason}</p>${quote(reason)}`;
  const end = expiresAt ?? accessRequest.expiresAt;
  switch (type) {
    case 'approve': {
      const asked =
        accessRequest.status === 'approved'
          ? accessRequest.pendingScopes
          : accessRequest.requestedScopes;
      const left = asked.filter((scope) => !scopes.includes(scope));
      return {
        title: review.approveTitle(investor.name),
        text: html`<p>${review.approve(investor.name, company)}</p>${scopeList(scopes, m)}
${left.length === 0 ? nothing : html`<p>${review.notApproved}</p>${scopeList(left, m)}`}
${end === null ? nothing : html`<p><strong>${review.until(format.dateTime(end))}</strong></p>`}
<p>${review.canRevoke} ${review.canSee}</p>`,
        button: review.confirmApprove,
        tone: 'primary',
      };
    }
    case 'decline':
      return {
        title: review.declineTitle(investor.name),
        text: html`<p>${accessRequest.status === 'approved' ? review.declineAddition(investor.name) : review.decline(investor.name)}</p>${given}`,
        button: review.confirmDecline,
        tone: 'danger',
      };
    case 'revoke':
      return {
        title: review.revokeTitle(investor.name),
        text: html`<p>${review.revoke(investor.name)}</p>${given}`,
        button: review.confirmRevoke,
        tone: 'danger',
      };
    case 'extend':
      return {
        title: review.extendTitle(investor.name),
        text: html`<p>${review.extend(
          investor.name,
          accessRequest.expiresAt ? format.dateTime(accessRequest.expiresAt) : '',
          end ? format.dateTime(end) : '',
        )}</p>`,
        button: review.confirmExtend,
        tone: 'primary',
      };
  }
}

async function decide(decision: Decision, context: ContactContext): Promise<void> {
  const { caller, useCases, params } = context;
  const { type, version, scopes, expiresAt, reason } = decision;
  const id = params.id ?? '';
  const named = { id, version };
  switch (type) {
    case 'approve':
      await useCases.company.approveRequest(caller, { ...named, scopes: [...scopes], expiresAt });
      return;
    case 'decline':
      await useCases.company.declineRequest(caller, { ...named, reason });
      return;
    case 'revoke':
      await useCases.company.revokeRequest(caller, { id, reason });
      return;
    case 'extend':
      // Whoever extends has named an end, or is told so.
      if (expiresAt === null) throw new InputError('invalid_parameter', 'expires_at');
      await useCases.company.extendRequest(caller, { ...named, expiresAt });
  }
}

/** The request, and what is to be done with it; or the page that says why that cannot be. */
async function read(
  context: ContactContext,
): Promise<{ readonly decision: Decision; readonly details: ReceivedRequestDetails } | Page> {
  const { caller, useCases, params, form, now } = context;
  const details = await useCases.company.readReceivedRequest(caller, { id: params.id ?? '' });
  const { accessRequest } = details;
  const isOld = form.text('version') !== accessRequest.version;
  const decision = readDecision(form, isOld ? { expiresAt: null } : accessRequest, now);
  if ('invalid' in decision) {
    return requestPage(context, { invalid: { field: decision.invalid }, status: 422 });
  }
  return { decision, details };
}

export const decideRoutes: Route[] = [
  {
    method: 'POST',
    path: '/requests/:id/review',
    access: 'contact',
    async handle(context) {
      keepDraft(context);
      const found = await read(context);
      if ('main' in found) return found;
      const { decision, details } = found;
      if (decision.type !== 'revoke' && details.accessRequest.version !== decision.version) {
        const { done } = context.language.m;
        return requestPage(context, {
          notice: alert(done.changedTitle, done.changed),
          status: 409,
        });
      }
      return reviewPage(decision, details, context);
    },
  },
  {
    method: 'POST',
    path: '/requests/:id/decide',
    access: 'contact',
    async handle(context) {
      const found = await read(context);
      if ('main' in found) return found;
      const { decision } = found;
      try {
        await decide(decision, context);
      } catch (error) {
        const page = await whyNotDecided(context, error);
        if (page === null) throw error;
        return page;
      }
      dropDraft(context);
      return { to: `/desk/requests/${context.params.id ?? ''}?done=${decision.type}` };
    },
  },
];
