import { randomUUID } from 'node:crypto';
import { may } from '#core';
import { scopeList } from '../../components/request-facts.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, hidden, html, nothing } from '../../html.ts';
import { type AskErrors, askForm } from '../ask-form.ts';
import { companyPath } from '../paths.ts';
import type { OpenCompany } from './state.ts';

/** Empty if all scopes are shared or requested. */
export function askPanel(
  { company, requestableScopes, approved }: OpenCompany,
  context: InvestorContext,
  errors: AskErrors | undefined,
): Html | string {
  const { caller, form, language } = context;
  const { ask: words } = language.m.figures;
  if (requestableScopes.length === 0) return nothing;
  const title = approved.length > 0 ? words.titleMore : words.title;
  const content = may(caller, 'ask')
    ? askForm(
        {
          action: `${companyPath(company.id)}/ask`,
          button: words.send,
          offered: requestableScopes,
          // Selects the narrowest scope. Selects none if the investor already has access.
          chosen: {
            scopes: approved.length === 0 ? requestableScopes.slice(0, 1) : [],
            purpose: null,
          },
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
