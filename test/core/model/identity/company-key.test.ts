import { expect, test } from 'vitest';
import {
  budgetOf,
  type CompanyScope,
  companyScopes,
  defaultCompanyScopes,
  isCompanyScope,
} from '#core';

test('a key of a company can carry these scopes, and no other', () => {
  expect(companyScopes).toEqual(['consents:manage', 'data:read', 'data:write']);
  for (const text of ['data:write ', 'DATA:READ', 'metrics:read', 'toString', '']) {
    expect(isCompanyScope(text)).toBe(false);
  }
  expect(companyScopes.every(isCompanyScope)).toBe(true);
});

test('a key that is made without a word of scopes cannot change the data', () => {
  expect(defaultCompanyScopes).toEqual(['consents:manage', 'data:read']);
});

test('keys that manage consents spend one budget, all others of the company another one', () => {
  const of = (scopes: readonly CompanyScope[], companyId = 'co_1') =>
    budgetOf({ companyId, scopes });
  expect(of(defaultCompanyScopes)).toBe(of(companyScopes));
  expect(of(['data:write'])).toBe(of(['data:read']));
  expect(of(['data:write'])).not.toBe(of(companyScopes));
  expect(of(['data:write'])).not.toBe(of(['data:write'], 'co_2'));
});
