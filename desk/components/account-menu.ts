import type { ContactCaller, InvestorContactCaller, SignedInCaller } from '#core';
import type { DeskContext, Page } from '../context.ts';
import { bdi, type Html, hidden, html, nothing } from '../html.ts';
import { languages, type Messages } from '../messages/index.ts';
import { csrfField } from './fields.ts';

export const organisationOf = (caller: ContactCaller | InvestorContactCaller): string =>
  caller.kind === 'contact' ? caller.companyName : caller.investorName;

/** Visitors who aren't signed in get the menu too, because it contains the choice of language. */
export function accountMenu(person: SignedInCaller | null, page: Page, context: DeskContext): Html {
  const { m } = context.language;
  return html`<details class="menu"><summary>${
    person === null ? html`<span>${m.name}</span>` : nameOf(person, m)
  }</summary>
<div>${person === null ? nothing : waysOf(person, m)}
${languageForm(page, context)}
${person === null ? nothing : signOutForm(context)}</div></details>`;
}

const nameOf = (person: SignedInCaller, { nav }: Messages): Html =>
  html`<span><span class="visually-hidden">${nav.menu}: </span>${
    person.kind === 'signed_in'
      ? bdi(person.email)
      : html`${bdi(organisationOf(person))}<bdi class="who">${person.email}</bdi>`
  }</span>`;

const waysOf = (person: SignedInCaller, { nav, settings }: Messages): Html =>
  html`<p class="hint">${nav.signedInAs(person.email)}${person.kind === 'signed_in' ? nothing : html`<br>${settings.contacts.roles[person.role]}`}</p>
<div>${person.organisationCount > 1 ? html`<a href="/desk/companies">${nav.switchOrganisation}</a>` : nothing}
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
