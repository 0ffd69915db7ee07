import type { ContactCaller } from '#core';
import { errorAnswers, type Refusal } from '#http';
import type { DeskContext, Page } from '../context.ts';
import { html } from '../html.ts';
import type { Messages } from '../messages/index.ts';

/** A refusal in words, and what to do. */
export function errorPage(
  { language: { m }, request }: DeskContext,
  { code }: Pick<Refusal, 'code'>,
): Page {
  const { status } = errorAnswers[code];
  const [title, text] = wordsOf(status, m.errors);
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
  main: html`<p class="lead">${m.errors.forbidden}</p><p><a class="button" href="/desk/">${m.errors.home}</a></p>`,
});

/** The form stands in a tab that shows another company than the one that was chosen last. */
export const otherCompanyPage = (
  { language: { m } }: DeskContext,
  { companyName }: ContactCaller,
): Page => ({
  title: m.errors.otherCompanyTitle,
  status: 409,
  isStill: true,
  path: '/desk/',
  main: html`<div class="narrow"><p class="lead">${m.errors.otherCompany(companyName)}</p>
<p class="actions"><a class="button primary" href="/desk/companies">${m.companies.title}</a>
<a class="button" href="/desk/">${m.errors.home}</a></p></div>`,
});

function wordsOf(status: number, m: Messages['errors']): [string, string] {
  if (status === 404 || status === 405) return [m.notFoundTitle, m.notFound];
  if (status === 403) return [m.forbiddenTitle, m.forbidden];
  if (status === 413) return [m.tooLargeTitle, m.tooLarge];
  if (status === 429) return [m.tooManyTitle, m.tooMany];
  if (status === 503) return [m.unavailableTitle, m.unavailable];
  if (status >= 500) return [m.internalTitle, m.internal];
  return [m.badTitle, m.bad];
}
