import type { ContactCaller, InvestorContactCaller } from '#core';
import { type CallerRefusal, errorAnswers } from '#http';
import { organisationOf } from '../components/account-menu.ts';
import type { DeskContext, Page } from '../context.ts';
import { type Html, html, nothing } from '../html.ts';
import type { Messages } from '../messages/index.ts';

/** A refusal in words, and what to do. */
export function errorPage(
  { language: { m }, request }: DeskContext,
  { code }: Pick<CallerRefusal, 'code'>,
): Page {
  const { status } = errorAnswers[code];
  const [title, text] = ownWords(m.errors)[code] ?? wordsOf(status, m.errors);
  return {
    title,
    status,
    isStill: true,
    main: html`<div class="narrow"><p class="lead">${text}</p>
<p class="hint"><code>${m.errors.request(request.id)}</code></p>
<p><a class="button" href="/desk/">${m.errors.home}</a></p></div>`,
  };
}

/** A change that no page of ours asked for. */
export const forgedFormPage = ({ language: { m } }: DeskContext): Page => ({
  title: m.errors.forbiddenTitle,
  status: 403,
  main: html`<div class="narrow"><p class="lead">${m.errors.forbidden}</p>
<p><a class="button" href="/desk/">${m.errors.home}</a></p></div>`,
});

type Acting = ContactCaller | InvestorContactCaller;

/** The page is one of companies, and the session acts for an investor; or the other way round. */
export const otherSidePage = ({ language: { m } }: DeskContext, caller: Acting): Page => ({
  title: m.errors.notFoundTitle,
  status: 404,
  isStill: true,
  main: html`<div class="narrow"><p class="lead">${m.errors.otherSide(organisationOf(caller))}</p>
${actions(m, caller.organisationCount > 1)}</div>`,
});

const actions = (m: Messages, hasOthers: boolean): Html =>
  html`<p class="actions">${hasOthers ? html`<a class="button primary" href="/desk/companies">${m.companies.title}</a>\n` : nothing}<a class="button" href="/desk/">${m.errors.home}</a></p>`;

/** The form stands in a tab that shows another organisation than the one that was chosen last. */
export const otherOrganisationPage = ({ language: { m } }: DeskContext, caller: Acting): Page => ({
  title: m.errors.otherOrganisationTitle,
  status: 409,
  path: '/desk/',
  main: html`<div class="narrow"><p class="lead">${m.errors.otherOrganisation(organisationOf(caller))}</p>
${actions(m, true)}</div>`,
});

/** Of refusals whose status does not tell what to do. */
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
