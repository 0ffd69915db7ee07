import { expect, test } from 'vitest';
import { requestableScopes } from '../../../../core/model/consent/access-request.ts';
import { grantableScopes } from '../../../../core/model/consent/scopes.ts';
import { isOfInvestor } from '../../../../core/model/events/event-type.ts';

const request = {
  requestedScopes: ['metrics:read'],
  approvedScopes: ['sources:read'],
  pendingScopes: ['accounts:read'],
} as const;
const allBut = (...scopes: readonly string[]) =>
  grantableScopes.filter((scope) => !scopes.includes(scope));

test('an investor can add missing scopes to an open access request, or request all scopes if none is open', () => {
  expect(requestableScopes({ ...request, status: 'pending' })).toEqual(allBut('metrics:read'));
  expect(requestableScopes({ ...request, status: 'approved' })).toEqual(
    allBut('sources:read', 'accounts:read'),
  );
  expect(requestableScopes({ ...request, status: 'revoked' })).toEqual(grantableScopes);
  expect(requestableScopes(null)).toEqual(grantableScopes);
});

test('the investor causes the created, amended and withdrawn events of its access request, but not the approved event', () => {
  const types = ['created', 'amended', 'withdrawn', 'approved'] as const;
  expect(types.map((type) => isOfInvestor(`access_request.${type}`))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
