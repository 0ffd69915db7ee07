import {
  type ContactContext,
  type InvestorContext,
  isOfCompany,
  type OwnerContext,
} from '../context.ts';
import { type Html, hidden, html, nothing } from '../html.ts';
import { csrfTokenOf } from '../security.ts';

/** What every form of a session carries, whichever organisation is chosen in it. */
export const csrfField = (session: string | null): Html =>
  session === null ? html`` : hidden('csrf', csrfTokenOf(session));

/** What every form of a company carries: in another tab, another company may be chosen meanwhile. */
export const companyFields = ({ session, caller }: ContactContext): Html =>
  html`${csrfField(session)}${hidden('for_company', caller.companyId)}`;

/** The same of an investor. */
export const investorFields = ({ session, caller }: InvestorContext): Html =>
  html`${csrfField(session)}${hidden('for_investor', caller.investorId)}`;

/** The same of whichever side. */
export const ownerFields = (context: OwnerContext): Html =>
  isOfCompany(context) ? companyFields(context) : investorFields(context);

/** Why a field was refused, beside it. */
export const fieldError = (id: string, error: string | undefined): Html | string =>
  error === undefined ? nothing : html`<p class="error" id="${id}-error">${error}</p>`;

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

export const radio = (name: string, value: string, chosen: string, label: string): Html =>
  option('radio', name, value, value === chosen, label);

export const checkbox = (
  name: string,
  value: string,
  isChosen: boolean,
  label: Html | string,
): Html => option('checkbox', name, value, isChosen, label);
