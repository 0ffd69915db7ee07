import type { ContactCaller, InvestorContactCaller } from '#core';
import type { DeskContext, Page } from '../context.ts';
import { type Html, hidden, html, nothing } from '../html.ts';
import { type Language, languages } from '../messages/index.ts';
import { csrfField } from './fields.ts';

export interface Account {
  readonly email: string;
  /** Null if none is chosen yet. */
  readonly organisation: string | null;
  readonly role?: string;
  readonly maySwitch: boolean;
}

export const organisationOf = (caller: ContactCaller | InvestorContactCaller): string =>
  caller.kind === 'contact' ? caller.companyName : caller.investorName;

/** Visitors also get the menu, to choose the language. */
export function accountMenu(account: Account | null, page: Page, context: DeskContext): Html {
  const { m } = context.language;
  return html`<details class="menu"><summary>${
    account === null ? html`<span>${m.name}</span>` : nameOf(account, m)
  }</summary>
<div>${account === null ? nothing : waysOf(account, m)}
${languageForm(page, context)}
${account === null ? nothing : signOutForm(context)}</div></details>`;
}

const nameOf = ({ organisation, email }: Account, m: Language['m']): Html =>
  html`<span><span class="visually-hidden">${m.nav.menu}: </span><bdi>${organisation ?? email}</bdi>${
    organisation === null ? nothing : html`<bdi class="who">${email}</bdi>`
  }</span>`;

const waysOf = ({ email, role, maySwitch }: Account, { nav }: Language['m']): Html =>
  html`<p class="hint">${nav.signedInAs(email)}${role === undefined ? nothing : html`<br>${role}`}</p>
<div>${maySwitch ? html`<a href="/desk/companies">${nav.switchOrganisation}</a>` : nothing}
<a href="/desk/sessions">${nav.sessions}</a></div>`;

const languageForm = (page: Page, { language: { tag, m }, request }: DeskContext): Html =>
  html`<form method="post" action="/desk/language"><div role="group" aria-label="${m.language}">
${hidden('back', page.path ?? request.url.replace(/\?.*$/s, ''))}
${[...languages.values()].map(
  (each) =>
    html`<button name="language" value="${each.tag}" lang="${each.tag}"${each.tag === tag ? html` aria-current="true"` : nothing}>${each.m.name}</button>`,
)}</div></form>`;

const signOutForm = ({ session, language: { m } }: DeskContext): Html =>
  html`<form method="post" action="/desk/sign-out">${csrfField(session)}
<button>${m.nav.signOut}</button></form>`;
