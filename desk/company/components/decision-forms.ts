import {
  type AccessRequest,
  addDays,
  type DecisionType,
  decisionTypes,
  endOfUse,
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
import { showIfAllowed } from '../../components/role-note.ts';
import { fillMessage, formatDay } from '../../components/time.ts';
import type { ContactContext } from '../../context.ts';
import { type Form, toDay } from '../../form.ts';
import { type Html, hidden, html, nothing } from '../../html.ts';
import { needsReview } from '../decision.ts';
import { firstApproval, firstEnd, type Invalid, type LimitingDecision } from '../limits.ts';
import { type FormFacts, limitFields, type Shown } from './limit-fields.ts';

/** Each form leads to a confirmation page that describes the result. */
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
  const useless = [
    request.pausedAt === null ? 'resume' : 'pause',
    ...(endOfUse(request) === null ? [] : ['extend']),
  ];
  const possible = decisionTypes.filter(
    (type) => !useless.includes(type) && isPossible(request, type),
  );
  return showIfAllowed(context, 'decide', () =>
    possible.length === 0
      ? html`<p class="notice">${context.language.m.request.final}</p>`
      : html`${possible.map((type) => decisionForm(type, show(type)))}`,
  );
}

function decisionForm(type: DecisionType, shown: Shown): Html {
  const { request: words } = shown.context.language.m;
  switch (type) {
    case 'approve':
      return approveForm(shown);
    case 'narrow':
      return form(
        type,
        shown,
        html`<p class="hint">${words.narrowHint}</p>
${scopeFields(type, shown.request.approvedScopes, shown.request.approvedScopes, shown)}
${limitFields(type, shown)}`,
      );
    case 'extend':
      return form(type, shown, endFields(type, shown));
    case 'pause':
    case 'resume':
      return form(type, shown, html`<p class="hint">${words[`${type}Hint`]}</p>`);
    default:
      return form(
        type,
        shown,
        html`<p class="hint">${words[`${type}Hint`]}</p>
${reasonField(type, words.reasonLabel, shown)}`,
      );
  }
}

function approveForm(shown: Shown): Html {
  const { request, context, approvalsRequired } = shown;
  const { request: words } = context.language.m;
  const first = firstApproval(request);
  const undecided = undecidedScopes(request);
  const hint = first === null ? words.twoPeople : words.secondHint;
  return form(
    'approve',
    shown,
    html`${approvalsRequired === 2 ? html`<p class="hint">${hint}</p>` : nothing}
${undecided.length === 0 ? nothing : scopeFields('approve', undecided, first?.scopes ?? proposedScopes(request), shown)}
${limitFields('approve', shown)}
${endFields('approve', shown)}
${reasonField('approve', words.messageLabel, shown)}`,
  );
}

function scopeFields(
  type: LimitingDecision,
  offered: readonly GrantableScope[],
  proposed: readonly string[],
  { context, invalid, chosen }: Shown,
): Html {
  const { m } = context.language;
  const id = `${type}-scopes`;
  const ticked = chosen?.all('scopes') ?? proposed;
  const isInvalid = invalid === 'scopes';
  return html`<fieldset${isInvalid ? html` aria-describedby="${id}-error"` : nothing}>
  <legend>${m.request.choose}</legend>
  ${offered.length > 1 ? html`<p class="hint">${m.request.chooseHint}</p>` : nothing}
  ${groupError(id, isInvalid ? m.request[`${type}Error`] : undefined)}
  ${offered.map((scope) => checkbox('scopes', scope, ticked.includes(scope), m.scopes[scope].name))}
</fieldset>`;
}

function reasonField(type: DecisionType, label: string, { context, invalid, chosen }: Shown): Html {
  const { m } = context.language;
  return html`${field({ id: `${type}-reason`, label: optional(label, m), error: invalid === 'reason' ? m.request.reasonError : undefined, input: (attributes) => html`<textarea ${attributes} name="reason" rows="3" maxlength="${maxReasonLength}" dir="auto">${chosen?.text('reason') ?? ''}</textarea>` })}`;
}

/** An extension starts at the grant's present end, so the form describes the preset durations as "longer". */
function endFields(type: 'approve' | 'extend', { request, context, ...shown }: Shown): Html {
  const { language, now, grantTtlDays } = context;
  const { m, format } = language;
  const { expiresAt } = request;
  const periods = grantPeriods(grantTtlDays);
  const id = `${type}-until`;
  const isInvalid = shown.invalid === 'until';
  const present = type === 'extend' ? expiresAt : null;
  const kept = type === 'approve' ? keptEnd(request, context) : null;
  const { until, date } = chosenEnd(
    shown.chosen,
    kept === null ? String(proposedPeriod(periods)) : 'keep',
  );
  const option = (value: string, label: Html | string) => radio('until', value, until, label);
  const preset = (days: number) => (days === 365 ? m.request.year : m.request.days(days));
  const error = present === null ? m.request.dateError : m.request.laterError(format.date(present));
  const earliest = toDay(addDays(present ?? now, 1));
  return html`<fieldset${isInvalid ? html` aria-describedby="${id}-error"` : nothing}>
  <legend>${m.request.howLong}</legend>
  ${groupError(id, isInvalid ? error : undefined)}
  ${kept === null ? nothing : option('keep', kept)}
  ${periods.map((days) => option(String(days), present === null ? preset(days) : m.request.longer(preset(days))))}
  ${option('date', m.request.otherDate)}
  <input type="date" name="date" min="${earliest}" value="${date}" aria-label="${m.request.otherDate}"${isInvalid ? html` aria-invalid="true"` : nothing}>
</fieldset>`;
}

/** Names the end of the first approval or of the grant. Returns null if there is neither. */
function keptEnd(
  request: AccessRequest,
  { language, now, grantTtlDays }: ContactContext,
): Html | null {
  const { keepEnd, asFirst } = language.m.request;
  const first = firstApproval(request);
  const end = firstEnd(request) ?? request.expiresAt ?? (first && addDays(now, grantTtlDays));
  return end && fillMessage(first === null ? keepEnd : asFirst, formatDay(end, language));
}

/**
 * Returns the date to show in the form. After the user goes back from the confirmation page, the form contains an exact
 * time.
 */
function chosenEnd(chosen: Form | null, proposed: string) {
  const confirmed = chosen?.text('expires_at')?.slice(0, 10);
  return {
    until: chosen?.text('until') ?? (confirmed === undefined ? proposed : 'date'),
    date: chosen?.text('date') ?? confirmed ?? '',
  };
}

const buttons: Readonly<Partial<Record<DecisionType, string>>> = {
  approve: 'primary',
  decline: 'danger',
  revoke: 'danger',
};

function form(type: DecisionType, shown: Shown, content: Html): Html {
  const { request, context, chosen } = shown;
  const { request: words } = context.language.m;
  const path = `/desk/requests/${request.id}`;
  const step = needsReview(type) ? 'review' : 'decide';
  const isPreviewed = type === 'approve' || type === 'narrow';
  const title = words[`${type}Title`];
  const fields = html`<form method="post" action="${path}/${step}" class="stack" novalidate${isPreviewed ? html` data-preview="${path}"` : nothing}${chosen === null ? nothing : html` data-touched`}>
${ownerFields(context)}
${hidden('decision', type)}
${hidden('version', request.version)}
${content}
<button class="${buttons[type] ?? nothing}">${words[type]}</button>
</form>`;
  return isFolded(type, shown)
    ? html`<details class="box"${chosen === null ? nothing : html` open`}><summary>${title}</summary><div id="${type}">${fields}</div></details>`
    : html`<section class="panel" aria-labelledby="${type}"><h2 id="${type}">${title}</h2>
${fields}</section>`;
}

/**
 * Returns true if the form starts folded. The company should first decide on an addition, so the forms that change the
 * existing grant start folded. The form that narrows a grant is long.
 */
const isFolded = (type: DecisionType, { request }: Shown): boolean =>
  type === 'narrow' || (concernsGrant(type) && stateOf(request) === 'amended');

const concernsGrant = (type: DecisionType) => type !== 'approve' && type !== 'decline';
