import { randomUUID } from 'node:crypto';
import { type GrantableScope, hasPermission, isLive } from '#core';
import { limitFacts } from '../../components/limits.ts';
import { quote, scopeList, scopeNames } from '../../components/request-facts.ts';
import { formatDay } from '../../components/time.ts';
import type { InvestorContext } from '../../context.ts';
import { fact, type Html, hidden, html, nothing } from '../../html.ts';
import { type AskErrors, askForm, presentTerms } from '../ask-form.ts';
import { accessBadge } from '../figures.ts';
import { companyPath } from '../paths.ts';
import type { OpenCompany } from './state.ts';

export function accessPanel(
  { company, request, approved, waiting }: OpenCompany,
  { language }: InvestorContext,
): Html {
  const { m } = language;
  const words = m.figures.company;
  const { grant } = company;
  const scopes = (names: readonly GrantableScope[]) => scopeNames(names, language);
  const isPending = request?.status === 'pending';
  const reason = request?.status === 'approved' ? null : (request?.reason ?? null);
  const facts = [
    ...(approved.length > 0 ? [fact(m.what, scopes(approved))] : []),
    ...(request === null ? [] : limitFacts(request, language)),
    ...(grant === null ? [] : [fact(m.until, formatDay(grant.expiresAt, language))]),
    ...(waiting.length > 0 ? [fact(m.ownRequests.requests.statuses.pending, scopes(waiting))] : []),
    ...(isPending ? [fact(m.expires, formatDay(request.deadlineAt, language))] : []),
    ...(request === null ? [] : [fact(m.asked, formatDay(request.createdAt, language))]),
  ];
  return html`<section class="panel" aria-labelledby="access"><h2 id="access">${m.figures.portfolio.access}</h2>
<p>${accessBadge(company, m)}</p>
${request?.status === 'declined' ? html`<p>${words.declined}</p>` : nothing}
${reason === null ? nothing : html`<p class="hint">${words.reason}</p>${quote(reason)}`}
${facts.length === 0 ? nothing : html`<dl class="facts">${facts}</dl>`}
${
  request === null
    ? nothing
    : html`<p><a href="/desk/requests/${request.id}">${words.request}</a> · <a href="/desk/activity?company=${company.id}">${m.ownRequests.request.ourReads}</a></p>`
}</section>`;
}

/** Returns an empty text if each scope is already shared or requested. */
export function askPanel(
  { company, request, requestableScopes, approved }: OpenCompany,
  context: InvestorContext,
  errors: AskErrors | undefined,
): Html | string {
  const { caller, form, language } = context;
  const { ask: words } = language.m.figures;
  const terms = presentTerms(request);
  if (requestableScopes.length === 0 && terms === null) return nothing;
  const title = approved.length > 0 ? words.titleMore : words.title;
  const content = hasPermission(caller, 'ask')
    ? askForm(
        {
          action: `${companyPath(company.id)}/ask`,
          button: words.send,
          offered: requestableScopes,
          // Preselects the narrowest scope. If the investor already has access, preselects no scope.
          chosen: {
            scopes: approved.length === 0 ? requestableScopes.slice(0, 1) : [],
            purpose: null,
            terms,
          },
          isAddition: request !== null && isLive(request),
          errors,
          fields: hidden('id', form.text('id') ?? randomUUID()),
        },
        context,
      )
    : html`<p>${words.lead}</p>${scopeList(requestableScopes, language.m.ownRequests)}
<p class="hint">${words.viewer(caller.investorName)}</p>`;
  return html`<section class="panel" aria-labelledby="ask"><h2 id="ask">${title}</h2>
${content}</section>`;
}
