import type { SignedInCaller } from '#core';
import { assetsVersion } from '../assets/index.ts';
import type { ContactContext, DeskContext, InvestorContext, Page, Section } from '../context.ts';
import { type Html, hidden, html, nothing } from '../html.ts';
import { type Language, languages } from '../messages/index.ts';
import { csrfTokenOf } from '../security.ts';

type Sections = readonly (readonly [NonNullable<Section>, string])[];

const companySections: Sections = [
  ['inbox', '/desk/'],
  ['grants', '/desk/grants'],
  ['activity', '/desk/activity'],
  ['data', '/desk/data'],
  ['settings', '/desk/settings'],
];

const investorSections: Sections = [['portfolio', '/desk/portfolio']];

/** A whole page: head, navigation, content. */
export function layout(page: Page, context: DeskContext): Html {
  const { language, request } = context;
  const { caller } = request;
  const { m } = language;
  const person = caller !== null && 'email' in caller ? caller : null;
  const contact = caller?.kind === 'contact' ? caller : null;
  const investor = caller?.kind === 'investor_contact' ? caller : null;
  const name = contact?.companyName ?? investor?.investorName;
  const scripts = ['live.js', ...(page.scripts ?? [])];
  return html`<!doctype html>
<html lang="${language.tag}" dir="${m.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${page.title} · ${m.product}</title>
<link rel="icon" href="/desk/assets/icon.svg?${assetsVersion}" type="image/svg+xml">
<link rel="stylesheet" href="/desk/assets/style.css?${assetsVersion}">
${scripts.map((name) => html`<script type="module" src="/desk/assets/${name}?${assetsVersion}"></script>\n`)}
</head>
<body${contact && page.isStill !== true ? html` data-live="/desk/events?page=${request.id}${page.showsReads ? '&reads' : nothing}"` : nothing} data-changed="${m.live.changed}" data-reload="${m.live.reload}">
<a class="skip" href="#main">${m.skip}</a>
<header class="top">
  <a class="brand" href="/desk/"><span class="logo" aria-hidden="true"></span>${m.product}</a>
  ${name === undefined ? nothing : html`<span class="company"><bdi>${name}</bdi></span>`}
</header>
${contact ? navigation(companySections, page.section ?? null, m) : nothing}${investor ? navigation(investorSections, page.section ?? null, m) : nothing}
<main id="main" tabindex="-1">
<h1>${page.title}</h1>
${page.main}
</main>
<footer class="bottom">
  ${person ? accountLinks(person, context) : nothing}
  <form method="post" action="/desk/language" class="inline">
    ${hidden('back', page.path ?? request.url.replace(/\?.*$/s, ''))}
    <label for="language">${m.language}</label>
    <select id="language" name="language">
      ${[...languages.values()].map(
        (each) =>
          html`<option value="${each.tag}" lang="${each.tag}"${each.tag === language.tag ? html` selected` : nothing}>${each.m.name}</option>`,
      )}
    </select>
    <button class="plain">${m.change}</button>
  </form>
</footer>
<div id="live" role="status" aria-live="polite"></div>
</body>
</html>
`;
}

function navigation(sections: Sections, current: Section, m: Language['m']): Html {
  return html`<nav class="sections" aria-label="${m.nav.label}">
  <ul>${sections.map(
    ([section, path]) =>
      html`<li><a href="${path}"${section === current ? html` aria-current="page"` : nothing}>${m.nav[section]}</a></li>`,
  )}</ul>
</nav>`;
}

function accountLinks(caller: SignedInCaller, { language: { m }, session }: DeskContext): Html {
  return html`<span>${m.nav.signedInAs(caller.email)}</span>
  ${caller.kind !== 'signed_in' ? html`<a href="/desk/sessions">${m.nav.sessions}</a>` : nothing}
  ${caller.organisationCount > 1 ? html`<a href="/desk/companies">${m.nav.switchOrganisation}</a>` : nothing}
  <form method="post" action="/desk/sign-out" class="inline">
    ${csrfField(session)}
    <button class="plain">${m.nav.signOut}</button>
  </form>`;
}

/** What every form of a session carries, whichever company is chosen in it. */
export const csrfField = (session: string | null): Html =>
  session === null ? html`` : hidden('csrf', csrfTokenOf(session));

/** What every form of an investor carries, as those of a company do. */
export const investorFields = ({ session, caller }: InvestorContext): Html =>
  html`${csrfField(session)}${hidden('for_investor', caller.investorId)}`;

/** What every form of a company carries: in another tab, another company may be chosen meanwhile. */
export const companyFields = ({ session, caller }: ContactContext): Html =>
  html`${csrfField(session)}${hidden('for_company', caller.companyId)}`;
