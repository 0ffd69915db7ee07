import {
  type ApiKey,
  type CompanyKey,
  companyScopes,
  isCompanyScope,
  isScope,
  scopes,
} from '#core';
import { isOfCompany, type OwnerContext } from '../../context.ts';
import { type Html, html, nothing } from '../../html.ts';

export type OwnKey = CompanyKey | ApiKey;

export function scopesOf(context: OwnerContext): readonly (readonly [string, string])[] {
  const { keys, keyScopes } = context.language.m.settings;
  return isOfCompany(context)
    ? companyScopes.map((scope) => [scope, keys.scopes[scope]])
    : scopes.map((scope) => [scope, keyScopes[scope]]);
}

export interface NewKeyFields {
  readonly name: string | undefined;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
}

export function createKey(fields: NewKeyFields, context: OwnerContext) {
  const { company, investor } = context.useCases;
  return isOfCompany(context)
    ? company.createOwnKey(context.caller, {
        ...fields,
        scopes: fields.scopes.filter(isCompanyScope),
      })
    : investor.createOwnKey(context.caller, { ...fields, scopes: fields.scopes.filter(isScope) });
}

/** Returns the only source that a company's key may push. For an investor's key, returns links to its reads. */
export function moreOf(key: OwnKey, { language: { m } }: OwnerContext): Html | string {
  if ('source' in key)
    return key.source === null ? nothing : html`${m.settings.keys.source} <bdi>${key.source}</bdi>`;
  const words = m.settings.keys;
  const link = (query: string, text: string) =>
    html`<a href="/desk/activity?who=${key.id}${query}" aria-label="${text}: ${key.hint}">${text}</a>`;
  return html`${link('', words.showReads)}<br>${link('&outcome=refused', words.showRefusals)}`;
}
