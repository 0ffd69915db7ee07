import { expect, test } from 'vitest';
import { askableScopes } from '../../../../core/model/consent/access-request.ts';
import { grantableScopes } from '../../../../core/model/consent/scopes.ts';
import { isOfInvestor } from '../../../../core/model/events/event-type.ts';

const request = {
  requestedScopes: ['metrics:read'],
  approvedScopes: ['sources:read'],
  pendingScopes: ['accounts:read'],
} as const;
const allBut = (...scopes: readonly string[]) =>
  grantableScopes.filter((scope) => !scopes.includes(scope));

test('what was not asked for can be added to a live request; once it is over, all can be asked for anew', () => {
  expect(askableScopes({ ...request, status: 'pending' })).toEqual(allBut('metrics:read'));
  expect(askableScopes({ ...request, status: 'approved' })).toEqual(
    allBut('sources:read', 'accounts:read'),
  );
  expect(askableScopes({ ...request, status: 'revoked' })).toEqual(grantableScopes);
  expect(askableScopes(null)).toEqual(grantableScopes);
});

test('an investor asks, asks for more, and takes back', () => {
  const types = ['created', 'amended', 'withdrawn', 'approved'] as const;
  expect(types.map((type) => isOfInvestor(`access_request.${type}`))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
