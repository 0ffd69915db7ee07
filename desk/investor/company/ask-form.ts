import { randomUUID } from 'node:crypto';
import { type GrantableScope, grantableScopes, maxPurposeLength, may } from '#core';
import { submitButton } from '../../components/buttons.ts';
import { checkbox, described, fieldError, ownerFields } from '../../components/fields.ts';
import type { InvestorContext } from '../../context.ts';
import { type Html, hidden, html, nothing } from '../../html.ts';
import { companyPath } from '../paths.ts';
import type { OpenCompany } from './state.ts';

export interface AskErrors {
  readonly scopes?: string;
  readonly purpose?: string;
}

/** The narrowest choice that says anything: the first that is not shared, and nothing for who has something already. */
function isChosen(
  scope: GrantableScope,
  { askable, approved }: OpenCompany,
  given: readonly string[],
) {
  if (given.length > 0) return given.includes(scope);
  return approved.length === 0 && scope === askable[0];
}

/** What the company does not share, and the form to ask for it; nothing when all of it is shared or asked for. */
export function askPanel(
  opened: OpenCompany,
  context: InvestorContext,
  errors: AskErrors = {},
): Html | string {
  const { caller, form, language } = context;
  const { ask: words } = language.m.figures;
  const { company, askable, approved } = opened;
  if (askable.length === 0) return nothing;
  const title = approved.length > 0 ? words.titleMore : words.title;
  const head = html`<section class="panel" aria-labelledby="ask"><h2 id="ask">${title}</h2>`;
  if (!may(caller, 'ask')) {
    return html`${head}<p>${words.lead}</p><ul>${askable.map((scope) => html`<li>${words.scopes[scope]}</li>`)}</ul>
<p class="hint">${words.viewer(caller.investorName)}</p></section>`;
  }
  const given = form.all('scopes');
  return html`${head}<form method="post" action="${companyPath(company.id)}/ask" class="stack">${ownerFields(context)}
${hidden('id', form.text('id') ?? randomUUID())}
<fieldset${errors.scopes === undefined ? nothing : html` aria-describedby="scopes-error"`}><legend>${words.what}</legend>
${fieldError('scopes', errors.scopes)}
${grantableScopes
  .filter((scope) => askable.includes(scope))
  .map((scope) =>
    checkbox(
      'scopes',
      scope,
      isChosen(scope, opened, given),
      html`<strong>${language.m.scopes[scope].name}</strong>: ${words.scopes[scope]}`,
    ),
  )}</fieldset>
<label for="purpose">${words.purpose} <span class="hint">(${language.m.optional})</span></label>
${fieldError('purpose', errors.purpose)}
<textarea id="purpose" name="purpose" rows="3" maxlength="${maxPurposeLength}"${described('purpose', errors.purpose, 'purpose-hint')}>${form.text('purpose') ?? ''}</textarea>
<p class="hint" id="purpose-hint">${words.purposeHint}</p>
${submitButton(words.send, 'primary')}</form></section>`;
}
