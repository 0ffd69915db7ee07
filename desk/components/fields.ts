import { randomUUID } from 'node:crypto';
import type { OwnerContext } from '../context.ts';
import { type Html, hidden, html, nothing } from '../html.ts';
import { csrfTokenOf } from '../security.ts';

/** What every form of a session carries, whichever organisation is chosen in it. */
export const csrfField = (session: string | null): Html =>
  session === null ? html`` : hidden('csrf', csrfTokenOf(session));

/** What every form of a company or an investor carries: in another tab, another one may be chosen meanwhile. */
export const ownerFields = ({ session, caller }: OwnerContext): Html =>
  html`${csrfField(session)}${caller.kind === 'contact' ? hidden('for_company', caller.companyId) : hidden('for_investor', caller.investorId)}`;

/** Of a form that must not be carried out twice: its own name, which is used up when it is sent. */
export const onceField = (): Html => hidden('form', randomUUID());

/** Why a field was refused, beside it. */
export const fieldError = (id: string, error: string | undefined): Html | string =>
  error === undefined ? nothing : html`<p class="error" id="${id}-error">${error}</p>`;

/** Why a group of fields was refused, above it. The page opens there: no single one of them is wrong. */
export const groupError = (id: string, error: string | undefined): Html | string =>
  error === undefined
    ? nothing
    : html`<p class="error" id="${id}-error" tabindex="-1" autofocus>${error}</p>`;

/** The attributes of a field: what describes it, and whether it was refused. */
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
