import {
  type AccessRequest,
  type CompanyDecision,
  type ReceivedRequestDetails,
  requirePermission,
  reviewDecision,
  undecidedScopes,
} from '#core';
import { ownerFields } from '../components/fields.ts';
import { quote, scopeList } from '../components/request-facts.ts';
import { fillMessage, formatExactly } from '../components/time.ts';
import type { ContactContext, Page, PageResult } from '../context.ts';
import { type Html, hidden, html, nothing } from '../html.ts';
import { forContacts } from '../route.ts';
import { type FormDecision, readDecision } from './decision.ts';
import { refusedDecisionPage, requestPage, sectionOf } from './request.ts';

const fields = ['decision', 'version', 'scopes', 'until', 'date', 'reason'];

/** Repeats the user's choices in hidden fields, so that the form shows them again after the user goes back. */
const sentFields = ({ form }: ContactContext): readonly Html[] =>
  fields.flatMap((name) => form.all(name).map((value) => hidden(name, value)));

function reviewPage(
  { decision, details }: CheckedDecision,
  after: AccessRequest,
  context: ContactContext,
): Page {
  const { m } = context.language;
  const { accessRequest, investor } = details;
  const { title, text, button, tone } = wordsOf(decision, details, after, context);
  return {
    title,
    section: sectionOf(accessRequest),
    path: `/desk/requests/${accessRequest.id}`,
    main: html`<div class="narrow panel">${text}
<form method="post" action="/desk/requests/${accessRequest.id}/decide" class="actions">
${ownerFields(context)}
${sentFields(context)}
${'expiresAt' in decision && decision.expiresAt ? hidden('expires_at', decision.expiresAt.toISOString()) : nothing}
<button class="${tone}">${button}</button>
<button formaction="/desk/requests/${accessRequest.id}" aria-label="${m.back}: ${m.request.title(investor.name)}">${m.back}</button>
</form></div>`,
  };
}

interface Words {
  readonly title: string;
  readonly text: Html;
  readonly button: string;
  readonly tone: 'primary' | 'danger';
}

/** @param after the access request as it will be after the decision */
function wordsOf(
  decision: CompanyDecision,
  { accessRequest, investor }: ReceivedRequestDetails,
  after: AccessRequest,
  { caller, language }: ContactContext,
): Words {
  const { m } = language;
  const { review } = m;
  const endOf = ({ expiresAt }: AccessRequest) =>
    expiresAt ? formatExactly(expiresAt, language) : html``;
  const reasonText = (reason: string | null) =>
    reason === null
      ? html`<p>${review.noReason}</p>`
      : html`<p>${review.reason}</p>${quote(reason)}`;
  switch (decision.type) {
    case 'approve': {
      const undecided = undecidedScopes(accessRequest);
      const isApproved = (scope: (typeof undecided)[number]) =>
        after.approvedScopes.includes(scope);
      const remaining = undecided.filter((scope) => !isApproved(scope));
      return {
        title: review.approveTitle(investor.name),
        text: html`<p>${review.approve(investor.name, caller.companyName)}</p>${scopeList(undecided.filter(isApproved), m)}
${remaining.length === 0 ? nothing : html`<p>${review.notApproved}</p>${scopeList(remaining, m, true)}`}
<p><strong>${fillMessage(review.until, endOf(after))}</strong></p>
<p>${review.canRevoke} ${review.canSee}</p>`,
        button: review.confirmApprove,
        tone: 'primary',
      };
    }
    case 'decline':
      return {
        title: review.declineTitle(investor.name),
        text: html`<p>${after.status === 'approved' ? review.declineAddition(investor.name) : review.decline(investor.name)}</p>${reasonText(decision.reason)}`,
        button: review.confirmDecline,
        tone: 'danger',
      };
    case 'revoke':
      return {
        title: review.revokeTitle(investor.name),
        text: html`<p>${review.revoke(investor.name)}</p>${reasonText(decision.reason)}`,
        button: review.confirmRevoke,
        tone: 'danger',
      };
    case 'extend':
      return {
        title: review.extendTitle(investor.name),
        text: html`<p>${fillMessage((from, to) => review.extend(investor.name, from, to), endOf(accessRequest), endOf(after))}</p>`,
        button: review.confirmExtend,
        tone: 'primary',
      };
  }
}

function decide(
  { decision, version }: FormDecision,
  { caller, useCases: { company }, id }: ContactContext,
): Promise<unknown> {
  switch (decision.type) {
    case 'approve': {
      const { scopes, expiresAt } = decision;
      return company.approveRequest(caller, { id, version, scopes, expiresAt });
    }
    case 'decline':
      return company.declineRequest(caller, { id, version, reason: decision.reason });
    case 'revoke':
      return company.revokeRequest(caller, { id, reason: decision.reason });
    case 'extend':
      return company.extendRequest(caller, { id, version, expiresAt: decision.expiresAt });
  }
}

interface CheckedDecision extends FormDecision {
  readonly details: ReceivedRequestDetails;
}

/** If the decision isn't possible, shows the form again with the reason. */
const withDecision =
  (proceed: (checked: CheckedDecision, context: ContactContext) => Promise<PageResult>) =>
  async (context: ContactContext): Promise<PageResult> => {
    const { caller, useCases, id, form, now } = context;
    const details = await useCases.company.readReceivedRequest(caller, { id });
    const decision = readDecision(form, details.accessRequest, now);
    if ('field' in decision) return requestPage(context, { invalid: decision, status: 422 });
    try {
      return await proceed({ ...decision, details }, context);
    } catch (error) {
      const page = await refusedDecisionPage(context, error);
      if (page === null) throw error;
      return page;
    }
  };

const review = (
  { decision, version, details }: CheckedDecision,
  { grantTtlDays, now }: ContactContext,
): AccessRequest => reviewDecision(details.accessRequest, decision, { version, grantTtlDays, now });

const reviewForm = withDecision(async (checked, context) =>
  reviewPage(checked, review(checked, context), context),
);

const decideForm = withDecision(async (checked, context) => {
  const { decision, version, details } = checked;
  // Skips the review for an outdated version, because the review would reject it. The core accepts a repeated decision,
  // for example after a second click.
  if (version === details.accessRequest.version) review(checked, context);
  await decide(checked, context);
  return { to: `/desk/requests/${details.accessRequest.id}?done=${decision.type}` };
});

export const decideRoutes = [
  forContacts.post('/requests/:id/review', (context) => {
    requirePermission(context.caller, 'decide');
    return reviewForm(context);
  }),
  forContacts.post('/requests/:id/decide', decideForm),
];
