import {
  type AccessRequest,
  addDays,
  type DecisionType,
  decisionTypes,
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
import type { Invalid } from '../decision.ts';

/** A form to show. `chosen` is null if the user hasn't sent this form yet. */
interface Shown {
  readonly request: AccessRequest;
  readonly context: ContactContext;
  readonly invalid: Invalid['field'] | null;
  readonly chosen: Form | null;
}

/** Shows a form for each possible decision. Each form leads to a confirmation page that describes the result. */
export function decisionForms(
  request: AccessRequest,
  context: ContactContext,
  invalid?: Invalid,
): Html {
  const show = (type: DecisionType): Shown => {
    const isChosen = context.form.text('decision') === type;
    return {
      request,
      context,
      invalid: (isChosen && invalid?.field) || null,
      chosen: isChosen ? context.form : null,
    };
  };
  const possible = decisionTypes.filter((type) => isPossible(request, type));
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
    case 'extend':
      return extendForm(shown);
    default:
      return reasonForm(type, shown);
  }
}

function approveForm(shown: Shown): Html {
  const { request, context, invalid, chosen } = shown;
  const { m } = context.language;
  const ticked: readonly string[] = chosen?.all('scopes') ?? proposedScopes(request);
  const undecided = undecidedScopes(request);
  const isInvalid = invalid === 'scopes';
  return form(
    'approve',
    shown,
    m.request.decideTitle,
    html`
<fieldset${isInvalid ? html` aria-describedby="scopes-error"` : nothing}>
  <legend>${m.request.choose}</legend>
  ${undecided.length > 1 ? html`<p class="hint">${m.request.chooseHint}</p>` : nothing}
  ${groupError('scopes', isInvalid ? m.request.chooseError : undefined)}
  ${undecided.map((scope) => {
    return checkbox('scopes', scope, ticked.includes(scope), m.scopes[scope].name);
  })}
</fieldset>
${endFields('approve', shown)}
<button class="primary">${m.request.approve}</button>`,
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
${field({ id: `${type}-reason`, label: optional(m.request.reasonLabel, m), error: shown.invalid === 'reason' ? m.request.reasonError : undefined, input: (attributes) => html`<textarea ${attributes} name="reason" rows="3" maxlength="${maxReasonLength}" dir="auto">${shown.chosen?.text('reason') ?? ''}</textarea>` })}
<button class="danger">${button}</button>`,
  );
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
  const present = type === 'extend' ? expiresAt : null;
  const { until, date } = chosenEnd(
    shown.chosen,
    mayKeep ? 'keep' : String(proposedPeriod(periods)),
  );
  const option = (value: string, label: Html | string) => radio('until', value, until, label);
  const preset = (days: number) => (days === 365 ? m.request.year : m.request.days(days));
  const error = present === null ? m.request.dateError : m.request.laterError(format.date(present));
  const earliest = toDay(addDays(present ?? now, 1));
  return html`<fieldset${isInvalid ? html` aria-describedby="${id}-error"` : nothing}>
  <legend>${m.request.howLong}</legend>
  ${groupError(id, isInvalid ? error : undefined)}
  ${mayKeep ? option('keep', fillMessage(m.request.keepEnd, formatDay(expiresAt, language))) : nothing}
  ${periods.map((days) => option(String(days), present === null ? preset(days) : m.request.longer(preset(days))))}
  ${option('date', m.request.otherDate)}
  <input type="date" name="date" min="${earliest}" value="${date}" aria-label="${m.request.otherDate}"${isInvalid ? html` aria-invalid="true"` : nothing}>
</fieldset>`;
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

function form(
  type: DecisionType,
  { request, context, chosen }: Shown,
  title: string,
  content: Html,
): Html {
  // If the investor asks for more scopes, the company should first decide on those. So the forms that change the
  // existing grant start folded.
  const isFolded = stateOf(request) === 'amended' && concernsGrant(type);
  const fields = html`<form method="post" action="/desk/requests/${request.id}/review" class="stack" novalidate${chosen === null ? nothing : html` data-touched`}>
${ownerFields(context)}
${hidden('decision', type)}
${hidden('version', request.version)}
${content}
</form>`;
  return isFolded
    ? html`<details class="box"${chosen === null ? nothing : html` open`}><summary>${title}</summary><div id="${type}">${fields}</div></details>`
    : html`<section class="panel" aria-labelledby="${type}"><h2 id="${type}">${title}</h2>
${fields}</section>`;
}

const concernsGrant = (type: DecisionType): boolean => type === 'extend' || type === 'revoke';
