import { expect, test } from 'vitest';
import { addableScopes } from '../../../../core/model/consent/access-request.ts';
import { grantableScopes } from '../../../../core/model/consent/scopes.ts';
import { isOfInvestor } from '../../../../core/model/events/event-type.ts';

const request = {
  requestedScopes: ['metrics:read'],
  approvedScopes: ['sources:read'],
  pendingScopes: ['accounts:read'],
} as const;
const allBut = (...scopes: readonly string[]) =>
  grantableScopes.filter((scope) => !scopes.includes(scope));

test('what was not asked for can be added to a live request, and nothing to one that is over', () => {
  expect(addableScopes({ ...request, status: 'pending' })).toEqual(allBut('metrics:read'));
  expect(addableScopes({ ...request, status: 'approved' })).toEqual(
    allBut('sources:read', 'accounts:read'),
  );
  expect(addableScopes({ ...request, status: 'revoked' })).toEqual([]);
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
