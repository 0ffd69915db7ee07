import { describe, expect, test } from 'vitest';
import {
  type AccessRequest,
  type AccessRequestStatus,
  type AccessTerms,
  accessRequestStatuses,
  covers,
  createAccessEvent,
  noLimits,
  statusAt,
  transitions,
  uncoveredScopes,
} from '#core';
import { allRequestedTerms } from '../../../../core/model/consent/access-request.ts';
import { approvedRequest, arrTerms, pendingRequest } from '../../builders.ts';
import { day, later, start } from '../../world.ts';

describe('the deadline of a request', () => {
  test.each(['pending', 'approved'] as const)(
    'ends the request at this exact time if the request is %s',
    (status) => {
      const deadlineAt = later(day);
      expect(statusAt({ status, deadlineAt }, later(day - 1))).toBe(status);
      expect(statusAt({ status, deadlineAt }, later(day))).toBe('expired');
      expect(statusAt({ status, deadlineAt }, later(day + 1))).toBe('expired');
    },
  );

  test.each(['declined', 'expired', 'revoked'] as const)(
    'has no effect if the request is already %s',
    (status) => {
      expect(statusAt({ status, deadlineAt: start }, later(day))).toBe(status);
    },
  );
});

describe('an earlier request', () => {
  const request = pendingRequest({ requestedScopes: ['metrics:read', 'sources:read'] });

  const inPart = approvedRequest({ approvedScopes: ['sources:read'] });
  const amended = { ...inPart, pendingScopes: ['accounts:read'] as const };

  test.each([
    ['the requested scopes in any order', request, ['sources:read', 'metrics:read'], []],
    ['a part of the requested scopes', request, ['sources:read'], []],
    [
      'no scope that was not requested',
      request,
      ['metrics:read', 'accounts:read'],
      ['accounts:read'],
    ],
    [
      'no additional scope, even together with all requested scopes',
      request,
      ['metrics:read', 'sources:read', 'accounts:read'],
      ['accounts:read'],
    ],
    ['a scope that was approved', inPart, ['sources:read'], []],
    ['no scope that the approval left out', inPart, ['metrics:read'], ['metrics:read']],
    [
      'a pending addition together with an approved scope',
      amended,
      ['accounts:read', 'sources:read'],
      [],
    ],
    [
      'no scope that the approval left out, even if an addition is pending',
      amended,
      ['metrics:read', 'accounts:read'],
      ['metrics:read'],
    ],
  ] as const)('covers %s', (_what, given, asked, uncovered) => {
    expect(uncoveredScopes(given, asked)).toEqual(uncovered);
    expect(covers(given, asked, null)).toBe(uncovered.length === 0);
  });

  test('covers the scopes of an identical request, even if some of them weren’t approved', () => {
    expect(covers(inPart, ['metrics:read', 'sources:read'], null)).toBe(true);
  });
});

describe('the terms of a request', () => {
  const [both, once] = [arrTerms({ metricKeys: ['arr', 'cash'] }), arrTerms({ use: 'once' })];
  const pending = pendingRequest({ requestedTerms: both });
  const narrower = approvedRequest({ requestedTerms: both, approvedTerms: once });
  const widening = { ...narrower, pendingTerms: arrTerms() };
  test.each<[string, AccessRequest, covered: readonly (AccessTerms | null)[]]>([
    ['all narrower terms while it is pending', pending, [both, arrTerms(), once]],
    ['the requested and the granted terms after a narrower approval', narrower, [both, once]],
    ['the terms of an addition', widening, [both, arrTerms(), once]],
    ['everything without limits', approvedRequest(), [null, both, arrTerms(), once]],
    ['everything if no limits were asked for', { ...narrower, requestedTerms: null }, [null, once]],
    [
      'everything if no limits wait',
      { ...narrower, pendingTerms: noLimits },
      [null, both, arrTerms(), once],
    ],
  ])('cover %s', (_what, request, covered) => {
    const all = [null, both, arrTerms(), once];
    expect(all.filter((terms) => covers(request, ['metrics:read'], terms))).toEqual(covered);
    expect(covers({ ...request, approvedScopes: [] }, ['accounts:read'], once)).toBe(false);
  });

  test('include the terms of an addition', () => {
    expect(allRequestedTerms(pending)).toEqual(both);
    expect(allRequestedTerms({ ...widening, requestedTerms: once })).toEqual(arrTerms());
    expect(allRequestedTerms({ ...widening, pendingTerms: noLimits })).toBeNull();
  });
});

test('every state of an access request can be reached from the initial state', () => {
  const reached = new Set<AccessRequestStatus>(['pending']);
  for (const state of reached) {
    for (const { status } of Object.values(transitions[state])) reached.add(status);
  }
  expect([...reached].sort()).toEqual([...accessRequestStatuses].sort());
});

test('the event of a change contains the type of the request’s last change and a copy of the request', () => {
  const request = pendingRequest({ lastEventType: 'access_request.amended' });
  const actor = { type: 'investor', id: 'inv_1' } as const;
  expect(createAccessEvent('evt_1', request, actor, later(5), 'why')).toEqual({
    id: 'evt_1',
    type: 'access_request.amended',
    createdAt: later(5),
    accessRequest: request,
    actor,
    reason: 'why',
  });
});
