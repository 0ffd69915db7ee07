import { addDays, isFutureEnd, isName, maxNameLength, proposedPeriod } from '#core';
import { checkbox, field, groupError, ownerFields, radio } from '../../components/fields.ts';
import type { OwnerContext } from '../../context.ts';
import { readEnd, toDay } from '../../end-field.ts';
import { type Html, hidden, html } from '../../html.ts';
import { type Feedback, settingsWords } from '../settings-page.ts';
import { type NewKeyFields, scopesOf } from './own-key.ts';

/** In days. The shortest is the default. */
const endPresets = [90, 365];

export function createForm(context: OwnerContext, errors: Feedback['errors']): Html {
  const { now, form } = context;
  const { m } = context.language;
  const { keys: words } = settingsWords(context);
  const endError = errors?.end;
  const scopesError = errors?.scopes;
  const chosen: readonly string[] = errors ? form.all('scopes') : [];
  const option = (value: string, label: string) =>
    radio(
      'until',
      value,
      endError === undefined ? String(proposedPeriod(endPresets)) : 'date',
      label,
    );
  return html`<section class="panel" aria-labelledby="create"><h2 id="create">${words.createTitle}</h2>
<form method="post" action="/desk/settings/keys/review" class="stack" novalidate>${ownerFields(context)}
${field({ id: 'name', label: words.name, hint: words.nameHint, error: errors?.name, input: (attributes) => html`<input ${attributes} name="name" maxlength="${maxNameLength}" autocomplete="off" value="${errors && form.text('name')}">` })}
<fieldset${scopesError && html` aria-describedby="scopes-error"`}><legend>${words.whatMay}</legend>
${groupError('scopes', scopesError)}
${scopesOf(context).map(([scope, name]) => checkbox('scopes', scope, chosen.includes(scope), name))}</fieldset>
<fieldset${endError && html` aria-describedby="end-error"`}><legend>${words.howLong}</legend>
${groupError('end', endError)}
${endPresets.map((days) => option(String(days), days === 365 ? m.request.year : m.request.days(days)))}
${option('none', words.noEnd)}
${option('date', m.request.otherDate)}
<input type="date" name="date" min="${toDay(addDays(now, 1))}" aria-label="${m.request.otherDate}"${endError && html` aria-invalid="true"`}></fieldset>
<button class="primary">${words.create}</button></form></section>`;
}

export function readNewKey(context: OwnerContext): NewKeyFields | Feedback {
  const { form, now } = context;
  const { m } = context.language;
  const { keys: words } = settingsWords(context);
  const name = form.text('name');
  if (name !== undefined && !isName(name)) return { errors: { name: words.nameError } };
  const sent = form.all('scopes');
  const chosen = scopesOf(context)
    .map(([scope]) => scope)
    .filter((scope) => sent.includes(scope));
  if (chosen.length === 0) return { errors: { scopes: words.scopesError } };
  if (form.text('expires_at') === undefined && form.text('until') === 'none')
    return { name, scopes: chosen, expiresAt: null };
  const expiresAt = readEnd(form, now);
  return expiresAt !== null && isFutureEnd(expiresAt, now)
    ? { name, scopes: chosen, expiresAt }
    : { errors: { end: m.request.dateError } };
}

/** The fields that the confirmation page sends again. */
export const keyFields = ({ name, scopes, expiresAt }: NewKeyFields): Html =>
  html`${name && hidden('name', name)}${scopes.map((scope) => hidden('scopes', scope))}${
    expiresAt === null ? hidden('until', 'none') : hidden('expires_at', expiresAt.toISOString())
  }`;
