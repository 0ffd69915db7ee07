import { expect, test } from 'vitest';
import {
  budgetOf,
  type CompanyScope,
  companyScopes,
  defaultCompanyScopes,
  isCompanyScope,
} from '#core';

test('a company key can have only the scopes consents:manage, data:read and data:write', () => {
  expect(companyScopes).toEqual(['consents:manage', 'data:read', 'data:write']);
  for (const text of ['data:write ', 'DATA:READ', 'metrics:read', 'toString', '']) {
    expect(isCompanyScope(text)).toBe(false);
  }
  expect(companyScopes.every(isCompanyScope)).toBe(true);
});

test('a company key can’t change data by default', () => {
  expect(defaultCompanyScopes).toEqual(['consents:manage', 'data:read']);
});

test('a company’s keys that manage consents share one rate limit, and its other keys share a second limit', () => {
  const of = (scopes: readonly CompanyScope[], companyId = 'co_1') =>
    budgetOf({ companyId, scopes });
  expect(of(defaultCompanyScopes)).toBe(of(companyScopes));
  expect(of(['data:write'])).toBe(of(['data:read']));
  expect(of(['data:write'])).not.toBe(of(companyScopes));
  expect(of(['data:write'])).not.toBe(of(['data:write'], 'co_2'));
});
