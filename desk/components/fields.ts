import { randomUUID } from 'node:crypto';
import type { OwnerContext } from '../context.ts';
import { type Html, hidden, html, nothing } from '../html.ts';
import { csrfTokenOf } from '../security.ts';

/** The CSRF token of a form, the same for each organisation. */
export const csrfField = (session: string | null): Html =>
  session === null ? html`` : hidden('csrf', csrfTokenOf(session));

/**
 * The fields of each form of a company or an investor. They name the organisation, because another tab may switch to
 * another one.
 */
export const ownerFields = ({ session, caller }: OwnerContext): Html =>
  html`${csrfField(session)}${caller.kind === 'contact' ? hidden('for_company', caller.companyId) : hidden('for_investor', caller.investorId)}`;

/** A unique id for a form that must not run twice. The first submission uses it up. */
export const onceField = (): Html => hidden('form', randomUUID());

/** The error of a field, shown next to it. */
export const fieldError = (id: string, error: string | undefined): Html | string =>
  error === undefined ? nothing : html`<p class="error" id="${id}-error">${error}</p>`;

/** The error of a group of fields, shown above it. Takes the focus, because the error isn't in a single field. */
export const groupError = (id: string, error: string | undefined): Html | string =>
  error === undefined
    ? nothing
    : html`<p class="error" id="${id}-error" tabindex="-1" autofocus>${error}</p>`;

/** The attributes of a field: its description, and whether it is invalid. */
export const described = (id: string, error: string | undefined, hint: string): Html =>
  error === undefined
    ? html` aria-describedby="${hint}"`
    : html` aria-describedby="${id}-error ${hint}" aria-invalid="true" autofocus`;

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
