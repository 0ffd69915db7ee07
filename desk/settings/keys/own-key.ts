import {
  type ApiKey,
  addDays,
  type CompanyKey,
  companyScopes,
  isCompanyScope,
  isFutureEnd,
  isName,
  isScope,
  maxNameLength,
  proposedPeriod,
  scopes,
} from '#core';
import { checkbox, field, groupError, ownerFields, radio } from '../../components/fields.ts';
import { isOfCompany, type OwnerContext } from '../../context.ts';
import { readEnd, toDay } from '../../form.ts';
import { type Html, hidden, html, nothing } from '../../html.ts';
import { type Feedback, settingsWords } from '../settings-page.ts';

export type OwnKey = CompanyKey | ApiKey;

export function scopesOf(context: OwnerContext): readonly (readonly [string, string])[] {
  const { keys, keyScopes } = context.language.m.settings;
  return isOfCompany(context)
    ? companyScopes.map((scope) => [scope, keys.scopes[scope]])
    : scopes.map((scope) => [scope, keyScopes[scope]]);
}

export interface NewKeyFields {
  readonly name: string | undefined;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
}

export function createKey(fields: NewKeyFields, context: OwnerContext) {
  const { company, investor } = context.useCases;
  return isOfCompany(context)
    ? company.createOwnKey(context.caller, {
        ...fields,
        scopes: fields.scopes.filter(isCompanyScope),
      })
    : investor.createOwnKey(context.caller, { ...fields, scopes: fields.scopes.filter(isScope) });
}

/**
 * For a company's key, returns the only source whose data the key can push. For an investor's key, returns links to its
 * reads.
 */
export function moreOf(key: OwnKey, { language: { m } }: OwnerContext): Html | string {
  if ('source' in key)
    return key.source === null ? nothing : html`${m.settings.keys.source} <bdi>${key.source}</bdi>`;
  const words = m.settings.keys;
  const link = (query: string, text: string) =>
    html`<a href="/desk/activity?who=${key.id}${query}" aria-label="${text}: ${key.hint}">${text}</a>`;
  return html`${link('', words.showReads)}<br>${link('&outcome=refused', words.showRefusals)}`;
}

/** In days. The shortest lifetime is the default. */
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

export const keyFields = ({ name, scopes, expiresAt }: NewKeyFields): Html =>
  html`${name && hidden('name', name)}${scopes.map((scope) => hidden('scopes', scope))}${
    expiresAt === null ? hidden('until', 'none') : hidden('expires_at', expiresAt.toISOString())
  }`;
