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

test('missing scopes can be added to an open request, and all scopes can be requested after it has ended', () => {
  expect(askableScopes({ ...request, status: 'pending' })).toEqual(allBut('metrics:read'));
  expect(askableScopes({ ...request, status: 'approved' })).toEqual(
    allBut('sources:read', 'accounts:read'),
  );
  expect(askableScopes({ ...request, status: 'revoked' })).toEqual(grantableScopes);
  expect(askableScopes(null)).toEqual(grantableScopes);
});

test('the events by an investor are created, amended and withdrawn', () => {
  const types = ['created', 'amended', 'withdrawn', 'approved'] as const;
  expect(types.map((type) => isOfInvestor(`access_request.${type}`))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
