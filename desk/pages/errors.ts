import type { ContactCaller, InvestorContactCaller } from '#core';
import { type CallerRefusal, errorAnswers } from '#http';
import { organisationOf } from '../components/account-menu.ts';
import { buttonLink } from '../components/buttons.ts';
import type { DeskContext, Page } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

export function errorPage(
  { language: { m }, request }: DeskContext,
  { code }: Pick<CallerRefusal, 'code'>,
): Page {
  const { status } = errorAnswers[code];
  const [title, text] = ownWords(m.errors)[code] ?? wordsOf(status, m.errors);
  const number = html`<p class="hint"><code>${m.errors.request(request.id)}</code></p>\n`;
  return { ...refused(status, title, text, html`${number}${toInbox(m)}`), isStill: true };
}

export const forgedFormPage = ({ language: { m } }: DeskContext): Page =>
  refused(403, m.errors.forbiddenTitle, m.errors.forbidden, toInbox(m));

type Acting = ContactCaller | InvestorContactCaller;

/** The error page for a user who acts for an investor but opens a page for companies, or the reverse. */
export function otherSidePage({ language: { m } }: DeskContext, caller: Acting): Page {
  const ways = actions(m, caller.organisationCount > 1);
  const text = m.errors.otherSide(organisationOf(caller));
  return { ...refused(404, m.errors.notFoundTitle, text, ways), isStill: true };
}

/** The error page if a form belongs to one organisation, but the user has switched to another one. */
export function otherOrganisationPage({ language: { m } }: DeskContext, caller: Acting): Page {
  const text = m.errors.otherOrganisation(organisationOf(caller));
  const page = refused(409, m.errors.otherOrganisationTitle, text, actions(m, true));
  return { ...page, path: '/desk/' };
}

const refused = (status: number, title: string, text: string, ways: Html): Page => ({
  title,
  status,
  main: html`<div class="narrow"><p class="lead">${text}</p>
${ways}</div>`,
});

const toInbox = (m: Messages): Html => html`<p>${buttonLink('/desk/', m.errors.home)}</p>`;

const actions = (m: Messages, hasOthers: boolean): Html =>
  html`<p class="actions">${hasOthers ? html`${buttonLink('/desk/companies', m.companies.title, 'primary')}\n` : nothing}${buttonLink('/desk/', m.errors.home)}</p>`;

const ownWords = (
  m: Messages['errors'],
): Readonly<Partial<Record<CallerRefusal['code'], readonly [string, string]>>> => ({
  insufficient_role: [m.roleTitle, m.role],
  origin_not_allowed: [m.forbiddenTitle, m.forbidden],
});

function wordsOf(status: number, m: Messages['errors']): [string, string] {
  if (status === 404 || status === 405) return [m.notFoundTitle, m.notFound];
  if (status === 403) return [m.deniedTitle, m.denied];
  if (status === 413) return [m.tooLargeTitle, m.tooLarge];
  if (status === 429) return [m.tooManyTitle, m.tooMany];
  if (status === 503) return [m.unavailableTitle, m.unavailable];
  if (status >= 500) return [m.internalTitle, m.internal];
  return [m.badTitle, m.bad];
}

/**
 * Replaces a page with companies' figures if a link on another site led to it. The figures are read only after a click.
 */
export const continuePage = ({ language: { m } }: DeskContext, path: string): Page => ({
  title: m.fromOtherSite.title,
  // An automatic refresh would load the figures without a click.
  isStill: true,
  main: html`<div class="narrow"><p class="lead">${m.fromOtherSite.text}</p>
<p>${buttonLink(path, m.continue, 'primary')}</p></div>`,
});
