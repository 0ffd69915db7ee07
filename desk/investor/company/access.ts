import type { GrantableScope } from '#core';
import { quote, scopeNames } from '../../components/request-facts.ts';
import { formatDay, formatExactly, formatRelative } from '../../components/time.ts';
import type { InvestorContext } from '../../context.ts';
import { fact, type Html, html, nothing } from '../../html.ts';
import { accessBadge } from '../figures.ts';
import type { OpenCompany } from './state.ts';

/** How the access to the company stands: what is shared and until when, what was asked, what the company said. */
export function accessPanel(
  { company, request, approved, waiting }: OpenCompany,
  { language, now }: InvestorContext,
): Html {
  const { m } = language;
  const words = m.figures.company;
  const { access, grant } = company;
  const scopes = (names: readonly GrantableScope[]) => scopeNames(names, language);
  const isAsked = request?.status === 'pending';
  const reason = request?.status === 'approved' ? null : (request?.reason ?? null);
  return html`<section class="panel" aria-labelledby="access"><h2 id="access">${words.access}</h2>
<p>${accessBadge(access, m)}</p>
${request?.status === 'declined' ? html`<p>${words.declined}</p>` : nothing}
<dl class="facts">
${approved.length > 0 ? fact(words.shared, scopes(approved)) : nothing}
${grant === null ? nothing : fact(words.until, formatDay(grant.expiresAt, language))}
${waiting.length > 0 ? fact(words.waits, scopes(waiting)) : nothing}
${request === null ? nothing : fact(words.asked, formatRelative(request.createdAt, now, language))}
${isAsked ? fact(words.lapses, formatExactly(request.deadlineAt, language)) : nothing}
</dl>
${reason === null ? nothing : html`<p class="hint">${words.reason}</p>${quote(reason)}`}</section>`;
}
