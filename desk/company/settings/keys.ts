import { type CompanyKey, type CompanyScope, companyScopes } from '#core';
import type { ContactContext } from '../../context.ts';
import { html, nothing } from '../../html.ts';
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
  scopeNames: ({ settings }) => settings.keys.scopes,
  more: ({ source }, { language: { m } }) =>
    source === null ? nothing : html`${m.settings.keys.source} <bdi>${source}</bdi>`,
  codes: {
    notFound: 'company_key_not_found',
    limit: 'company_key_limit',
    conflict: 'company_key_conflict',
  },
});
