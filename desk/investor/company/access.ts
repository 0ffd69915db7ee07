import type { GrantableScope } from '#core';
import { quote, scopeNames } from '../../components/request-facts.ts';
import { formatDay } from '../../components/time.ts';
import type { InvestorContext } from '../../context.ts';
import { fact, type Html, html, nothing } from '../../html.ts';
import { accessBadge } from '../figures.ts';
import type { OpenCompany } from './state.ts';

export function accessPanel(
  { company, request, approved, waiting }: OpenCompany,
  { language }: InvestorContext,
): Html {
  const { m } = language;
  const words = m.figures.company;
  const { access, grant } = company;
  const scopes = (names: readonly GrantableScope[]) => scopeNames(names, language);
  const isPending = request?.status === 'pending';
  const reason = request?.status === 'approved' ? null : (request?.reason ?? null);
  const facts = [
    ...(approved.length > 0 ? [fact(words.shared, scopes(approved))] : []),
    ...(grant === null ? [] : [fact(m.until, formatDay(grant.expiresAt, language))]),
    ...(waiting.length > 0 ? [fact(words.waits, scopes(waiting))] : []),
    ...(isPending ? [fact(m.expires, formatDay(request.deadlineAt, language))] : []),
    ...(request === null ? [] : [fact(m.asked, formatDay(request.createdAt, language))]),
  ];
  return html`<section class="panel" aria-labelledby="access"><h2 id="access">${m.figures.portfolio.access}</h2>
<p>${accessBadge(access, m)}</p>
${request?.status === 'declined' ? html`<p>${words.declined}</p>` : nothing}
${reason === null ? nothing : html`<p class="hint">${words.reason}</p>${quote(reason)}`}
${facts.length === 0 ? nothing : html`<dl class="facts">${facts}</dl>`}
${
  request === null
    ? nothing
    : html`<p><a href="/desk/requests/${request.id}">${words.request}</a> · <a href="/desk/activity?company=${company.id}">${m.ownRequests.request.ourReads}</a></p>`
}</section>`;
}
