import { type AccessRequest, maxReasonLength } from '#core';
import type { ContactContext } from '../context.ts';
import { presets } from '../decision.ts';
import { type Html, html, nothing } from '../html.ts';
import { companyFields } from './layout.ts';

/** Which field of a form that was sent must be mended, and what it held. */
export interface Invalid {
  readonly field: 'scopes' | 'until' | 'reason' | 'type';
}

/** What can be decided about a request as it stands. Each form leads to a page that says what will happen. */
export function decisionForms(
  request: AccessRequest,
  context: ContactContext,
  invalid?: Invalid,
): Html {
  const isOpen = request.status === 'pending' || request.pendingScopes.length > 0;
  const isGrant = request.status === 'approved';
  return html`${isOpen ? html`${approveForm(request, context, invalid)}${reasonForm('decline', request, context, invalid)}` : nothing}
${isGrant ? html`${extendForm(request, context, invalid)}${reasonForm('revoke', request, context, invalid)}` : nothing}
${isOpen || isGrant ? nothing : html`<p class="hint">${context.language.m.request.final}</p>`}`;
}

function approveForm(request: AccessRequest, context: ContactContext, invalid?: Invalid): Html {
  const { m } = context.language;
  const scopes = request.status === 'approved' ? request.pendingScopes : request.requestedScopes;
  return form(
    'approve',
    request,
    context,
    m.request.decideTitle,
    html`
<fieldset${described(invalid, 'scopes', 'scopes-error')}>
  <legend>${m.request.choose}</legend>
  ${fieldError(invalid, 'scopes', 'scopes-error', m.request.chooseError)}
  ${scopes.map(
    (
      scope,
    ) => html`<label class="option"><input type="checkbox" name="scopes" value="${scope}" checked>
<span><strong>${m.scopes[scope].name}:</strong> ${m.scopes[scope].what}</span></label>`,
  )}
</fieldset>
${endFields(request, context, invalid, 'approve')}
<button class="primary">${m.request.approve}</button>`,
  );
}

function extendForm(request: AccessRequest, context: ContactContext, invalid?: Invalid): Html {
  const { m } = context.language;
  return form(
    'extend',
    request,
    context,
    m.request.extendTitle,
    html`${endFields(request, context, invalid, 'extend')}
<button>${m.request.extend}</button>`,
  );
}

function reasonForm(
  type: 'decline' | 'revoke',
  request: AccessRequest,
  context: ContactContext,
  invalid?: Invalid,
): Html {
  const { m } = context.language;
  const words = {
    decline: [m.request.declineTitle, m.request.declineHint, m.request.decline],
    revoke: [m.request.revokeTitle, m.request.revokeHint, m.request.revoke],
  } as const;
  const [title, hint, button] = words[type];
  const id = `${type}-reason`;
  const isInvalid = invalid?.field === 'reason' && context.form.text('decision') === type;
  return form(
    type,
    request,
    context,
    title,
    html`<p class="hint">${hint}</p>
<label for="${id}">${m.request.reasonLabel} <span class="hint">(${m.optional})</span></label>
${isInvalid ? html`<p class="error" id="${id}-error">${m.request.reasonError}</p>` : nothing}
<textarea id="${id}" name="reason" rows="3" maxlength="${maxReasonLength}" dir="auto"${isInvalid ? html` aria-invalid="true" aria-describedby="${id}-error"` : nothing}>${isInvalid ? (context.form.text('reason') ?? '') : ''}</textarea>
<button class="danger">${button}</button>`,
  );
}

function endFields(
  request: AccessRequest,
  { language: { m, format }, now, form: sent }: ContactContext,
  invalid: Invalid | undefined,
  type: 'approve' | 'extend',
): Html {
  const id = `${type}-until`;
  const isInvalid = invalid?.field === 'until' && sent.text('decision') === type;
  const mayKeep = type === 'approve' && request.status === 'approved' && request.expiresAt !== null;
  const chosen = isInvalid ? 'date' : mayKeep ? 'keep' : '365';
  const radio = (value: string, label: string | Html): Html =>
    html`<label class="option"><input type="radio" name="until" value="${value}"${value === chosen ? html` checked` : nothing}> <span>${label}</span></label>`;
  const tomorrow = new Date(now.getTime() + 86_400_000).toISOString().slice(0, 10);
  return html`<fieldset${isInvalid ? html` aria-describedby="${id}-error"` : nothing}>
  <legend>${m.request.howLong}</legend>
  ${isInvalid ? html`<p class="error" id="${id}-error">${m.request.dateError}</p>` : nothing}
  ${mayKeep && request.expiresAt ? radio('keep', m.request.keepEnd(format.date(request.expiresAt))) : nothing}
  ${presets.map((days) => radio(String(days), days === 365 ? m.request.year : m.request.days(days)))}
  ${radio('date', html`${m.request.otherDate}`)}
  <input type="date" name="date" min="${tomorrow}" aria-label="${m.request.otherDate}"${isInvalid ? html` aria-invalid="true"` : nothing}>
</fieldset>`;
}

function form(
  type: string,
  request: AccessRequest,
  context: ContactContext,
  title: string,
  content: Html,
): Html {
  return html`<section class="panel" aria-labelledby="${type}"><h2 id="${type}">${title}</h2>
<form method="post" action="/desk/requests/${request.id}/review" class="stack" novalidate>
${companyFields(context)}
<input type="hidden" name="decision" value="${type}">
<input type="hidden" name="version" value="${request.version}">
${content}
</form></section>`;
}

const described = (invalid: Invalid | undefined, field: Invalid['field'], id: string) =>
  invalid?.field === field ? html` aria-describedby="${id}"` : nothing;

const fieldError = (
  invalid: Invalid | undefined,
  field: Invalid['field'],
  id: string,
  text: string,
) => (invalid?.field === field ? html`<p class="error" id="${id}">${text}</p>` : nothing);
