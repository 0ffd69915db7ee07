import { expect, test } from 'vitest';
import { companyScopes, defaultCompanyScopes, isCompanyScope } from '#core';

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
