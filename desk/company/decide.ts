import {
  type AccessRequest,
  approvalOf,
  approvalOfTwo,
  type CompanyDecision,
  isOwnConfirmation,
  type ReceivedRequestDetails,
  requirePermission,
  reviewDecision,
  undecidedScopes,
} from '#core';
import { ownerFields } from '../components/fields.ts';
import { limitList } from '../components/limits.ts';
import type { Labels } from '../components/records.ts';
import { quote, scopeList } from '../components/request-facts.ts';
import { fillMessage, formatExactly } from '../components/time.ts';
import type { ContactContext, Page, PageResult } from '../context.ts';
import { toTermsInput } from '../form.ts';
import { type Html, hidden, html, nothing } from '../html.ts';
import { forContacts } from '../route.ts';
import { type FormDecision, readDecision } from './decision.ts';
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
  { decision, details }: CheckedDecision,
  after: AccessRequest,
  context: ContactContext,
): Promise<Page> {
  const { m } = context.language;
  const { accessRequest, investor } = details;
  const outcome = { after, ...(await approvalOutcome(decision, accessRequest, context)) };
  const labels = await readLabels(accessRequest, context);
  const { title, text, button, tone } = wordsOf(decision, details, outcome, labels, context);
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

interface Outcome {
  /** The request after the decision. If a second person must approve first, the request after both approvals. */
  readonly after: AccessRequest;
  /** False if a second person must approve. */
  readonly isComplete: boolean;
  /** True if the approval replaces a first approval with other content. */
  readonly replacesFirst: boolean;
}

async function approvalOutcome(
  decision: CompanyDecision,
  request: AccessRequest,
  { caller, useCases, grantTtlDays, now }: ContactContext,
): Promise<Omit<Outcome, 'after'>> {
  const isAlone =
    decision.type !== 'approve' || (await useCases.company.readApprovalsRequired(caller)) === 1;
  if (isAlone) return { isComplete: true, replacesFirst: false };
  const approval = approvalOf(decision, request, grantTtlDays, now);
  const next = approvalOfTwo(approval, request, caller.actor, now);
  if (next.type === 'approve') return { isComplete: true, replacesFirst: false };
  const replacesFirst = firstApproval(request) !== null && !isOwnConfirmation(request, next);
  return { isComplete: false, replacesFirst };
}

interface Words {
  readonly title: string;
  readonly text: Html;
  readonly button: string;
  readonly tone: 'primary' | 'danger';
}

function wordsOf(
  decision: CompanyDecision,
  { accessRequest, investor, readableScopes }: ReceivedRequestDetails,
  outcome: Outcome,
  labels: Labels,
  context: ContactContext,
): Words {
  const { language } = context;
  const { m } = language;
  const { review } = m;
  const { after } = outcome;
  const endOf = ({ expiresAt }: AccessRequest) =>
    expiresAt ? formatExactly(expiresAt, language) : html``;
  const reasonText = (reason: string | null) =>
    reason === null
      ? html`<p>${review.noReason}</p>`
      : html`<p>${review.reason}</p>${quote(reason)}`;
  const limits = ({ approvedTerms }: AccessRequest) =>
    approvedTerms === null
      ? nothing
      : html`<p>${review.limits}</p>${limitList(approvedTerms, language, labels)}`;
  switch (decision.type) {
    case 'approve': {
      const undecided = undecidedScopes(accessRequest);
      const isApproved = (scope: (typeof undecided)[number]) =>
        after.approvedScopes.includes(scope);
      const remaining = undecided.filter((scope) => !isApproved(scope));
      const reason = decision.reason ?? null;
      return {
        title: review.approveTitle(investor.name),
        text: html`${approvalLead(undecided.length === 0, investor.name, outcome, context)}
${undecided.length === 0 ? limitList(after.approvedTerms, language, labels) : html`${scopeList(undecided.filter(isApproved), m)}${limits(after)}`}
${remaining.length === 0 ? nothing : html`<p>${review.notApproved}</p>${scopeList(remaining, m, true)}`}
<p><strong>${fillMessage(review.until, endOf(after))}</strong></p>
${reason === null ? nothing : html`<p>${review.message}</p>${quote(reason)}`}
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
    case 'narrow':
      return {
        title: review.narrowTitle(investor.name),
        text: html`<p>${review.narrow(investor.name)}</p>${scopeList(after.approvedScopes, m)}${limits(after)}
<p>${review.narrowBack}</p>`,
        button: review.confirmNarrow,
        tone: 'danger',
      };
    case 'pause':
      return {
        title: review.pauseTitle(investor.name),
        text: html`<p>${review.pause(investor.name)}</p>`,
        button: review.confirmPause,
        tone: 'primary',
      };
    case 'resume':
      return {
        title: review.resumeTitle(investor.name),
        text: html`<p>${review.resume(investor.name)}</p>${scopeList(readableScopes, m)}${limits(after)}`,
        button: review.confirmResume,
        tone: 'primary',
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

function approvalLead(
  onlyWidens: boolean,
  investorName: string,
  { isComplete, replacesFirst }: Outcome,
  { caller: { companyName }, language: { m } }: ContactContext,
): Html {
  const { review, request } = m;
  const lead = onlyWidens
    ? review.approveWider(investorName)
    : isComplete
      ? review.approve(investorName, companyName)
      : review.approveFirst(investorName, companyName);
  return html`${isComplete ? nothing : html`<p><strong>${request.needsSecond}</strong>${replacesFirst ? ` ${review.otherContent}` : nothing}</p>`}
<p>${lead}</p>`;
}

function decide(
  { decision, version }: FormDecision,
  { caller, useCases: { company }, id }: ContactContext,
): Promise<unknown> {
  switch (decision.type) {
    case 'approve': {
      const { scopes, expiresAt, reason } = decision;
      const terms = toTermsInput(decision.terms);
      return company.approveRequest(caller, { id, version, scopes, terms, expiresAt, reason });
    }
    case 'decline':
      return company.declineRequest(caller, { id, version, reason: decision.reason });
    case 'narrow': {
      const scopes = [...(decision.scopes ?? [])];
      const terms = toTermsInput(decision.terms);
      return company.narrowRequest(caller, { id, version, scopes, terms });
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
