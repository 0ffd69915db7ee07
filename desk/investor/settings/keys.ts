import { type ApiKey, type Scope, scopes } from '#core';
import type { InvestorContext } from '../../context.ts';
import { html } from '../../html.ts';
import { forInvestors } from '../../route.ts';
import { keyRoutesOf } from '../../settings/keys/page.ts';

/** The API keys of an investor, with which its programs read. */
export const apiKeyRoutes = keyRoutesOf<InvestorContext, Scope, ApiKey>({
  routes: forInvestors,
  acts: ({ useCases: { investor }, caller }) => ({
    list: () => investor.listOwnKeys(caller),
    create: (key) => investor.createOwnKey(caller, key),
    rotate: (rotation) => investor.rotateOwnKey(caller, rotation),
    revoke: (key) => investor.revokeOwnKey(caller, key),
  }),
  scopes,
  scopeNames: ({ investorAdmin }) => investorAdmin.keyScopes,
  more({ id, hint }, { language: { m } }) {
    const words = m.investorAdmin.keys;
    const link = (query: string, text: string) =>
      html`<a href="/desk/activity?who=${id}${query}" aria-label="${text}: ${hint}">${text}</a>`;
    return html`${link('', words.showReads)}<br>${link('&outcome=refused', words.showRefusals)}`;
  },
  codes: { notFound: 'api_key_not_found', limit: 'api_key_limit', conflict: 'api_key_conflict' },
});
