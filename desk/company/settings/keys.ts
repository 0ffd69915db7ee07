import { type CompanyKey, type CompanyScope, companyScopes, defaultCompanyScopes } from '#core';
import type { ContactContext } from '../../context.ts';
import { fact, html, nothing } from '../../html.ts';
import { forContacts } from '../../route.ts';
import { keyRoutesOf } from '../../settings/keys/page.ts';

/** The keys of a company, with which its programs act for it. */
export const keyRoutes = keyRoutesOf<ContactContext, CompanyScope, CompanyKey>({
  routes: forContacts,
  acts: ({ useCases: { company }, caller }) => ({
    list: () => company.listOwnKeys(caller),
    create: (key) => company.createOwnKey(caller, key),
    rotate: (rotation) => company.rotateOwnKey(caller, rotation),
    revoke: (key) => company.revokeOwnKey(caller, key),
  }),
  scopes: companyScopes,
  defaultScopes: defaultCompanyScopes,
  scopeNames: ({ settings }) => settings.keys.scopes,
  facts: ({ source }, { language: { m } }) =>
    source === null ? nothing : fact(m.settings.keys.source, html`<bdi>${source}</bdi>`),
  codes: {
    notFound: 'company_key_not_found',
    limit: 'company_key_limit',
    conflict: 'company_key_conflict',
  },
});
