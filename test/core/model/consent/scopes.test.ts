import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldScopes, isGrantableScope, isScope, scopes } from '#core';

describe('scopes', () => {
  test.each([
    ['metrics:read', true, true],
    ['accounts:read', true, true],
    ['sources:read', true, true],
    ['companies:read', true, false],
    ['reports:read', true, false],
    ['webhooks:manage', true, false],
    ['metrics:write', false, false],
    ['METRICS:READ', false, false],
    ['', false, false],
    ['toString', false, false],
  ])('%s is a scope: %s, and a company can grant it: %s', (text, known, grantable) => {
    expect(isScope(text)).toBe(known);
    expect(isGrantableScope(text)).toBe(grantable);
  });
});

test('foldScopes removes duplicate scopes and keeps the order of their first occurrences', () => {
  expect(foldScopes(['sources:read', 'metrics:read', 'sources:read'])).toEqual([
    'sources:read',
    'metrics:read',
  ]);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...scopes)), (list) => {
      expect(foldScopes(list)).toEqual(
        list.filter((scope, index) => list.indexOf(scope) === index),
      );
    }),
  );
});
