import {
  type AccessRequest,
  type Approval,
  type ApprovalsRequired,
  addDays,
  type DecisionType,
  decisionTypes,
  type GrantableScope,
  grantPeriods,
  isPossible,
  maxReasonLength,
  proposedPeriod,
  proposedScopes,
  stateOf,
  undecidedScopes,
} from '#core';
import {
  checkbox,
  field,
  groupError,
  optional,
  ownerFields,
  radio,
} from '../../components/fields.ts';
import type { Labels } from '../../components/records.ts';
import { showIfAllowed } from '../../components/role-note.ts';
import { fillMessage, formatDay, formatExactly } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { type Form, toDay } from '../../form.ts';
import { type Html, hidden, html, nothing } from '../../html.ts';
import type { Language } from '../../messages/index.ts';
import { firstApproval, type Invalid, widestTerms } from '../limits.ts';
import { limitFields } from './limit-fields.ts';

export interface FormFacts {
  readonly request: AccessRequest;
  /** The names of the company's metrics, by key. */
  readonly metrics: Labels;
  readonly approvalsRequired: ApprovalsRequired;
}

/** A form to show. `chosen` is null if the user hasn't sent this form yet. */
interface Shown extends FormFacts {
  readonly context: ContactContext;
  readonly invalid: Invalid['field'] | null;
  readonly chosen: Form | null;
}

/** Shows a form for each possible decision. Each form leads to a confirmation page that describes the result. */
export function decisionForms(facts: FormFacts, context: ContactContext, invalid?: Invalid): Html {
  const { request } = facts;
  const show = (type: DecisionType): Shown => {
    const isChosen = context.form.text('decision') === type;
    return {
      ...facts,
      context,
      invalid: (isChosen && invalid?.field) || null,
      chosen: isChosen ? context.form : null,
    };
  };
  const useless = request.pausedAt === null ? 'resume' : 'pause';
  const possible = decisionTypes.filter((type) => type !== useless && isPossible(request, type));
  return showIfAllowed(context, 'decide', () =>
    possible.length === 0
      ? html`<p class="notice">${context.language.m.request.final}</p>`
      : html`${possible.map((type) => decisionForm(type, show(type)))}`,
  );
}

function decisionForm(type: DecisionType, shown: Shown): Html {
  switch (type) {
    case 'approve':
      return approveForm(shown);
    case 'narrow':
      return narrowForm(shown);
    case 'pause':
    case 'resume':
      return pauseForm(type, shown);
    case 'extend':
      return extendForm(shown);
    default:
      return reasonForm(type, shown);
  }
}

function approveForm(shown: Shown): Html {
  const { request, context, chosen } = shown;
  const { request: words } = context.language.m;
  const first = firstApproval(request);
  const ticked = chosen?.all('scopes') ?? first?.scopes ?? proposedScopes(request);
  const undecided = undecidedScopes(request);
  const terms = first === null ? widestTerms('approve', request) : first.terms;
  return form(
    'approve',
    shown,
    isOwnApproval(shown) ? words.changeApproval : words.decideTitle,
    html`
${approvalHint(shown)}
${undecided.length === 0 ? nothing : scopeFields('scopes', undecided, ticked, shown, words.chooseError)}
${limitFields('approve', terms, shown)}
${endFields('approve', shown)}
${reasonField('approve', words.messageLabel, shown)}
<button class="primary">${words.approve}</button>
${previewButton(shown)}`,
  );
}

/** Returns true if the contact gave the first of two approvals. */
const isOwnApproval = ({ request, context: { caller } }: Shown): boolean =>
  firstApproval(request)?.actor.id === caller.actor.id;

function approvalHint(shown: Shown): Html | string {
  const { request: words } = shown.context.language.m;
  if (shown.approvalsRequired === 1) return nothing;
  const isSecond = firstApproval(shown.request) !== null && !isOwnApproval(shown);
  return html`<p class="hint">${isSecond ? words.secondHint : words.twoPeople}</p>`;
}

function scopeFields(
  id: string,
  offered: readonly GrantableScope[],
  ticked: readonly string[],
  { context, invalid }: Shown,
  error: string,
): Html {
  const { m } = context.language;
  const isInvalid = invalid === 'scopes';
  return html`<fieldset${isInvalid ? html` aria-describedby="${id}-error"` : nothing}>
  <legend>${m.request.choose}</legend>
  ${offered.length > 1 ? html`<p class="hint">${m.request.chooseHint}</p>` : nothing}
  ${groupError(id, isInvalid ? error : undefined)}
  ${offered.map((scope) => checkbox('scopes', scope, ticked.includes(scope), m.scopes[scope].name))}
</fieldset>`;
}

/** With JavaScript, the preview follows each change of the form. So only other browsers show this button. */
const previewButton = ({ request, context }: Shown): Html =>
  html`<noscript><button formaction="/desk/requests/${request.id}">${context.language.m.request.showPreview}</button></noscript>`;

function narrowForm(shown: Shown): Html {
  const { request, chosen, context } = shown;
  const { request: words } = context.language.m;
  const { approvedScopes, approvedTerms } = request;
  const ticked = chosen?.all('scopes') ?? approvedScopes;
  return form(
    'narrow',
    shown,
    words.narrowTitle,
    html`<p class="hint">${words.narrowHint}</p>
${scopeFields('narrow-scopes', approvedScopes, ticked, shown, words.narrowError)}
${limitFields('narrow', approvedTerms, shown)}
<button>${words.narrow}</button>
${previewButton(shown)}`,
  );
}

function pauseForm(type: 'pause' | 'resume', shown: Shown): Html {
  const { request: words } = shown.context.language.m;
  return form(
    type,
    shown,
    words[`${type}Title`],
    html`<p class="hint">${words[`${type}Hint`]}</p>
<button>${words[type]}</button>`,
  );
}

function extendForm(shown: Shown): Html {
  const { m } = shown.context.language;
  return form(
    'extend',
    shown,
    m.request.extendTitle,
    html`${endFields('extend', shown)}
<button>${m.request.extend}</button>`,
  );
}

function reasonForm(type: 'decline' | 'revoke', shown: Shown): Html {
  const { m } = shown.context.language;
  const words = {
    decline: [m.request.declineTitle, m.request.declineHint, m.request.decline],
    revoke: [m.request.revokeTitle, m.request.revokeHint, m.request.revoke],
  } as const;
  const [title, hint, button] = words[type];
  return form(
    type,
    shown,
    title,
    html`<p class="hint">${hint}</p>
${reasonField(type, m.request.reasonLabel, shown)}
<button class="danger">${button}</button>`,
  );
}

function reasonField(type: DecisionType, label: string, { context, invalid, chosen }: Shown): Html {
  const { m } = context.language;
  return html`${field({ id: `${type}-reason`, label: optional(label, m), error: invalid === 'reason' ? m.request.reasonError : undefined, input: (attributes) => html`<textarea ${attributes} name="reason" rows="3" maxlength="${maxReasonLength}" dir="auto">${chosen?.text('reason') ?? ''}</textarea>` })}`;
}

/** An extension starts at the grant's present expiry date. So the form describes the preset durations as "longer". */
function endFields(type: 'approve' | 'extend', { request, context, ...shown }: Shown): Html {
  const { language, now, grantTtlDays } = context;
  const { m, format } = language;
  const { expiresAt } = request;
  const periods = grantPeriods(grantTtlDays);
  const id = `${type}-until`;
  const isInvalid = shown.invalid === 'until';
  const mayKeep = type === 'approve' && expiresAt !== null;
  const first = type === 'approve' ? firstApproval(request) : null;
  const proposed = mayKeep ? 'keep' : String(proposedPeriod(periods));
  const present = type === 'extend' ? expiresAt : null;
  const { until, date } = chosenEnd(shown.chosen, first === null ? proposed : 'first');
  const option = (value: string, label: Html | string) => radio('until', value, until, label);
  const preset = (days: number) => (days === 365 ? m.request.year : m.request.days(days));
  const error = present === null ? m.request.dateError : m.request.laterError(format.date(present));
  const earliest = toDay(addDays(present ?? now, 1));
  return html`<fieldset${isInvalid ? html` aria-describedby="${id}-error"` : nothing}>
  <legend>${m.request.howLong}</legend>
  ${groupError(id, isInvalid ? error : undefined)}
  ${first === null ? nothing : option('first', firstEndLabel(first, language))}
  ${mayKeep ? option('keep', fillMessage(m.request.keepEnd, formatDay(expiresAt, language))) : nothing}
  ${periods.map((days) => option(String(days), present === null ? preset(days) : m.request.longer(preset(days))))}
  ${option('date', m.request.otherDate)}
  <input type="date" name="date" min="${earliest}" value="${date}" aria-label="${m.request.otherDate}"${isInvalid ? html` aria-invalid="true"` : nothing}>
</fieldset>`;
}

function firstEndLabel({ expiresAt }: Approval, language: Language): Html | string {
  const { request: words } = language.m;
  return expiresAt === null
    ? words.asFirstDefault
    : fillMessage(words.asFirst, formatExactly(new Date(expiresAt), language));
}

/**
 * Returns the expiry date to show in the form. After the user goes back from the confirmation page, the form contains
 * an exact time, but it shows only the date.
 */
function chosenEnd(chosen: Form | null, proposed: string) {
  const confirmed = chosen?.text('expires_at')?.slice(0, 10);
  return {
    until: chosen?.text('until') ?? (confirmed === undefined ? proposed : 'date'),
    date: chosen?.text('date') ?? confirmed ?? '',
  };
}

function form(type: DecisionType, shown: Shown, title: string, content: Html): Html {
  const { request, context, chosen } = shown;
  const isPreviewed = type === 'approve' || type === 'narrow';
  const fields = html`<form method="post" action="/desk/requests/${request.id}/review" class="stack" novalidate${isPreviewed ? html` data-preview="/desk/requests/${request.id}"` : nothing}${chosen === null ? nothing : html` data-touched`}>
${ownerFields(context)}
${hidden('decision', type)}
${hidden('version', request.version)}
${content}
</form>`;
  return isFolded(type, shown)
    ? html`<details class="box"${chosen === null ? nothing : html` open`}><summary>${title}</summary><div id="${type}">${fields}</div></details>`
    : html`<section class="panel" aria-labelledby="${type}"><h2 id="${type}">${title}</h2>
${fields}</section>`;
}

/**
 * If the investor asks for more, the company should first decide on that. So the forms that change the existing grant
 * start folded. The form that narrows a grant is long, so it always starts folded.
 */
function isFolded(type: DecisionType, shown: Shown): boolean {
  if (type === 'approve') return isOwnApproval(shown);
  return type === 'narrow' || (type !== 'decline' && stateOf(shown.request) === 'amended');
}
