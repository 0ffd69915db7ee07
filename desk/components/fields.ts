import { randomUUID } from 'node:crypto';
import type { OwnerContext } from '../context.ts';
import { type Html, hidden, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';
import { csrfTokenOf } from '../security.ts';

export const csrfField = (session: string | null): Html =>
  session === null ? html`` : hidden('csrf', csrfTokenOf(session));

/**
 * Hidden fields with the form token and the user's organisation. The user may switch to another organisation in another
 * tab.
 */
export const ownerFields = ({ session, caller }: OwnerContext): Html =>
  html`${csrfField(session)}${caller.kind === 'contact' ? hidden('for_company', caller.companyId) : hidden('for_investor', caller.investorId)}`;

/** A hidden ID for a form that must run only once. The server accepts each ID once. */
export const onceField = (): Html => hidden('form', randomUUID());

interface Field {
  readonly id: string;
  readonly label: Html | string;
  readonly hint?: string;
  readonly error?: string | undefined;
  /** @param attributes the field's ID, and references to its hint and its error text */
  input(attributes: Html): Html;
}

export function field({ id, label, hint, error, input }: Field): Html {
  const texts = [error && `${id}-error`, hint && `${id}-hint`].filter((each) => each);
  const describedBy = texts.length === 0 ? nothing : html` aria-describedby="${texts.join(' ')}"`;
  const invalid = error === undefined ? nothing : html` aria-invalid="true" autofocus`;
  return html`<label for="${id}">${label}</label>
${error && html`<p class="error" id="${id}-error">${error}</p>`}
${input(html`id="${id}"${describedBy}${invalid}`)}
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}`;
}

export const optional = (label: string, { optional: word }: Messages): Html =>
  html`${label} <span class="hint">(${word})</span>`;

/** The error concerns several fields, so the error text itself takes the focus. */
export const groupError = (id: string, error: string | undefined): Html | string =>
  error === undefined
    ? nothing
    : html`<p class="error" id="${id}-error" tabindex="-1" autofocus>${error}</p>`;

const option = (
  type: 'radio' | 'checkbox',
  name: string,
  value: string,
  isChosen: boolean,
  label: Html | string,
): Html =>
  html`<label class="option"><input type="${type}" name="${name}" value="${value}"${isChosen ? html` checked` : nothing}> <span>${label}</span></label>`;

export const radio = (name: string, value: string, chosen: string, label: Html | string): Html =>
  option('radio', name, value, value === chosen, label);

export const checkbox = (
  name: string,
  value: string,
  isChosen: boolean,
  label: Html | string,
): Html => option('checkbox', name, value, isChosen, label);
