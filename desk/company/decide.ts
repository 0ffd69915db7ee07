import {
  type AccessRequest,
  approvalOf,
  approvalOfTwo,
  type CompanyDecision,
  changesNothing,
  type GrantableScope,
  type ReceivedRequestDetails,
  requirePermission,
  reviewDecision,
  undecidedScopes,
} from '#core';
import { ownerFields } from '../components/fields.ts';
import { limitList } from '../components/limits.ts';
import { quote, scopeList } from '../components/request-facts.ts';
import { fillMessage, formatExactly } from '../components/time.ts';
import type { ContactContext, Page, PageResult } from '../context.ts';
import { alert, fact, type Html, hidden, html, nothing } from '../html.ts';
import { forContacts } from '../route.ts';
import { type FormDecision, needsReview, type ReviewedType, readDecision } from './decision.ts';
import { firstApproval } from './limits.ts';
import { readLabels, refusedDecisionPage, requestPage, sectionOf } from './request.ts';

const fields = [
  ...['decision', 'version', 'scopes', 'until', 'date', 'reason'],
  ...['metrics', 'keys', 'from', 'use'],
];

/** Repeats the user's choices in hidden fields, so that the form shows them again after the user goes back. */
const sentFields = ({ form }: ContactContext): readonly Html[] =>
  fields.flatMap((name) => form.all(name).map((value) => hidden(name, value)));

async function reviewPage(
  reviewed: Reviewed,
  after: AccessRequest,
  context: ContactContext,
): Promise<Page> {
  const { m } = context.language;
  const { decision, details } = reviewed;
  const { accessRequest, investor } = details;
  const { type } = decision;
  const tone = type === 'approve' || type === 'extend' ? 'primary' : 'danger';
  return {
    title: m.review[`${type}Title`](investor.name),
    section: sectionOf(accessRequest),
    path: `/desk/requests/${accessRequest.id}`,
    main: html`<div class="narrow panel">${await outcomeOf(reviewed, after, context)}
<form method="post" action="/desk/requests/${accessRequest.id}/decide" class="actions">
${ownerFields(context)}
${sentFields(context)}
${'expiresAt' in decision && decision.expiresAt ? hidden('expires_at', decision.expiresAt.toISOString()) : nothing}
<button class="${tone}">${m.review.confirm[type]}</button>
<button formaction="/desk/requests/${accessRequest.id}" aria-label="${m.back}: ${m.request.title(investor.name)}">${m.back}</button>
</form></div>`,
  };
}

async function isComplete(
  decision: Extract<CompanyDecision, { readonly type: 'approve' }>,
  request: AccessRequest,
  { caller, useCases, grantTtlDays, now }: ContactContext,
): Promise<boolean> {
  if ((await useCases.company.readApprovalsRequired(caller)) === 1) return true;
  const approval = approvalOf(decision, request, grantTtlDays, now);
  return approvalOfTwo(approval, request, caller.actor, now).type === 'approve';
}

/** Describes the request after the decision, or after both approvals if a second person must approve, too. */
async function outcomeOf(
  { decision, details: { accessRequest, investor } }: Reviewed,
  after: AccessRequest,
  context: ContactContext,
): Promise<Html> {
  const { language, caller } = context;
  const { m } = language;
  const { review } = m;
  const endOf = ({ expiresAt }: AccessRequest) =>
    expiresAt ? formatExactly(expiresAt, language) : html``;
  const reasonText = (reason: string | null) =>
    reason === null
      ? html`<p>${review.noReason}</p>`
      : html`<p>${review.reason}</p>${quote(reason)}`;
  const labels = await readLabels(accessRequest, context);
  const hasLimits = (after.approvedTerms ?? accessRequest.approvedTerms) !== null;
  const limits = hasLimits
    ? html`<dl class="facts">${fact(m.limits.title, limitList(after.approvedTerms, language, labels))}</dl>`
    : nothing;
  switch (decision.type) {
    case 'approve': {
      const undecided = undecidedScopes(accessRequest);
      const isApproved = (scope: GrantableScope) => after.approvedScopes.includes(scope);
      const approved = undecided.filter(isApproved);
      const remaining = undecided.filter((scope) => !isApproved(scope));
      const lead = (await isComplete(decision, accessRequest, context))
        ? nothing
        : html`<p><strong>${m.request.twoPeople}</strong> ${firstApproval(accessRequest) && review.replacesFirst}</p>`;
      return html`${lead}<p>${review.approve(investor.name, caller.companyName)}</p>
${scopeList(undecided.length === 0 ? after.approvedScopes : approved, m)}${limits}
${remaining.length === 0 ? nothing : html`<p>${review.notApproved}</p>${scopeList(remaining, m, true)}`}
<p><strong>${fillMessage(review.until, endOf(after))}</strong></p>
${decision.reason == null ? nothing : reasonText(decision.reason)}
<p>${review.canRevoke} ${review.canSee}</p>`;
    }
    case 'decline':
      return html`<p>${after.status === 'approved' ? review.declineAddition(investor.name) : review.decline(investor.name)}</p>${reasonText(decision.reason)}`;
    case 'narrow':
      return html`<p>${review.narrow(investor.name)}</p>${scopeList(after.approvedScopes, m)}${limits}
<p>${review.narrowBack}</p>`;
    case 'revoke':
      return html`<p>${review.revoke(investor.name)}</p>${reasonText(decision.reason)}`;
    case 'extend':
      return html`<p>${fillMessage((from, to) => review.extend(investor.name, from, to), endOf(accessRequest), endOf(after))}</p>`;
  }
}

function decide(
  { decision, version }: FormDecision,
  { caller, useCases: { company }, id }: ContactContext,
): Promise<unknown> {
  switch (decision.type) {
    case 'approve': {
      const { scopes, terms, expiresAt, reason } = decision;
      return company.approveRequest(caller, { id, version, scopes, terms, expiresAt, reason });
    }
    case 'decline':
      return company.declineRequest(caller, { id, version, reason: decision.reason });
    case 'narrow': {
      const { scopes = [], terms } = decision;
      return company.narrowRequest(caller, { id, version, scopes: [...scopes], terms });
    }
    case 'pause':
      return company.pauseRequest(caller, { id });
    case 'resume':
      return company.resumeRequest(caller, { id });
    case 'revoke':
      return company.revokeRequest(caller, { id, reason: decision.reason });
    case 'extend':
      return company.extendRequest(caller, { id, version, expiresAt: decision.expiresAt });
  }
}

interface Checked extends FormDecision {
  readonly details: ReceivedRequestDetails;
}

interface Reviewed extends Checked {
  readonly decision: Extract<CompanyDecision, { readonly type: ReviewedType }>;
}

/** If the decision isn't possible, shows the form again with the reason. */
const withDecision =
  (proceed: (checked: Checked, context: ContactContext) => Promise<PageResult>) =>
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
  { decision, version, details }: Checked,
  { grantTtlDays, now }: ContactContext,
): AccessRequest => reviewDecision(details.accessRequest, decision, { version, grantTtlDays, now });

async function decideNow(checked: Checked, context: ContactContext): Promise<PageResult> {
  const { decision, version, details } = checked;
  // Skips the review for an outdated version, because the review would reject it. The core accepts a repeated decision,
  // for example after a second click.
  if (version === details.accessRequest.version) review(checked, context);
  await decide(checked, context);
  return { to: `/desk/requests/${details.accessRequest.id}?done=${decision.type}` };
}

const isReviewed = (checked: Checked): checked is Reviewed => needsReview(checked.decision.type);

const reviewForm = withDecision((checked, context) => {
  if (!isReviewed(checked)) return decideNow(checked, context);
  const { decision, details } = checked;
  const after = review(checked, context);
  if (decision.type === 'narrow' && changesNothing(details.accessRequest, decision, context.now)) {
    const { m } = context.language;
    const notice = alert(m.nothingChanged, m.done.notNarrower);
    return requestPage(context, { notice, status: 422 });
  }
  return reviewPage(checked, after, context);
});

export const decideRoutes = [
  forContacts.post('/requests/:id/review', (context) => {
    requirePermission(context.caller, 'decide');
    return reviewForm(context);
  }),
  forContacts.post('/requests/:id/decide', withDecision(decideNow)),
];
