import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccessRequestAction,
  type AccessRequestStatus,
  accessRequestStatuses,
  covers,
  createAccessEvent,
  type GrantableScope,
  grantableScopes,
  statusAt,
  transition,
  transitions,
  uncoveredScopes,
} from '#core';
import { approvedRequest, pendingRequest } from '../../builders.ts';
import { day, expectRefusal, expectRefusalSaying, later, start } from '../../world.ts';

const approve = { type: 'approve', expiresAt: later(365 * day) } as const;
const decline = { type: 'decline', reason: 'not now' } as const;
const revoke = { type: 'revoke', reason: 'the audit is over' } as const;
const expire = { type: 'expire' } as const;

describe('a request', () => {
  test.each(['pending', 'approved'] as const)(
    'expires exactly at its deadline if it is %s',
    (status) => {
      const deadlineAt = later(day);
      expect(statusAt({ status, deadlineAt }, later(day - 1))).toBe(status);
      expect(statusAt({ status, deadlineAt }, later(day))).toBe('expired');
      expect(statusAt({ status, deadlineAt }, later(day + 1))).toBe('expired');
    },
  );

  test.each(['declined', 'expired', 'revoked'] as const)(
    'doesn’t expire at its deadline if it is already %s',
    (status) => {
      expect(statusAt({ status, deadlineAt: start }, later(day))).toBe(status);
    },
  );
});

describe('a request', () => {
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
    expect(covers(given, asked)).toBe(uncovered.length === 0);
  });

  test('covers the scopes of an identical request, even if some of them were not approved', () => {
    expect(covers(inPart, ['metrics:read', 'sources:read'])).toBe(true);
  });

  const scopeLists = fc.subarray([...grantableScopes]);
  const states = fc.record({
    status: fc.constantFrom('pending' as const, 'approved' as const),
    requestedScopes: scopeLists,
    approvedScopes: scopeLists,
    pendingScopes: scopeLists,
  });

  test('covers the same scopes as the simple version of the rule', () => {
    fc.assert(
      fc.property(states, scopeLists, (given, asked) => {
        const { status, requestedScopes, approvedScopes, pendingScopes } = given;
        const isRepeat = [...asked].sort().join() === [...requestedScopes].sort().join();
        const waitsOrIsGranted = (scope: GrantableScope) =>
          status === 'pending'
            ? requestedScopes.includes(scope)
            : approvedScopes.includes(scope) || pendingScopes.includes(scope);
        expect(covers(given, asked)).toBe(isRepeat || asked.every(waitsOrIsGranted));
      }),
    );
  });
});

describe('an approval', () => {
  test('grants all requested scopes by default', () => {
    const now = later(day);
    expect(transition(pendingRequest(), approve, now)).toEqual(
      pendingRequest({
        status: 'approved',
        approvedScopes: ['metrics:read', 'sources:read'],
        decidedAt: now,
        expiresAt: approve.expiresAt,
        deadlineAt: approve.expiresAt,
        expiringAt: later(-7 * day, approve.expiresAt),
        lastEventType: 'access_request.approved',
      }),
    );
  });

  test('can grant some scopes, in the order of the request, without duplicates', () => {
    const request = pendingRequest({
      requestedScopes: ['metrics:read', 'accounts:read', 'sources:read'],
    });
    const scopes = ['sources:read', 'metrics:read', 'sources:read'];
    expect(transition(request, { ...approve, scopes }, start).approvedScopes).toEqual([
      'metrics:read',
      'sources:read',
    ]);
  });

  test.each([
    [
      'a scope that wasn’t requested',
      ['metrics:read', 'accounts:read'],
      'not requested: accounts:read',
    ],
    ['unknown scopes', ['everything', 'all'], 'not requested: everything, all'],
    ['no scopes', [], 'at least one of the requested scopes'],
  ])(
    'is refused for %s, and the error lists the allowed scopes',
    async (_what, scopes, message) => {
      const refusal = await expectRefusal(
        () => transition(pendingRequest(), { ...approve, scopes }, start),
        'invalid_decision',
      );
      expect(refusal.message).toMatch(message);
      const allowed = ['metrics:read', 'sources:read'];
      expect(refusal.details).toEqual({ param: 'scopes', allowed });
    },
  );

  test.each([
    ['now', start],
    ['in the past', later(-1)],
    ['at an invalid date', new Date(Number.NaN)],
  ])('is refused if it ends %s', async (_when, expiresAt) => {
    const refusal = await expectRefusal(
      () => transition(pendingRequest(), { ...approve, expiresAt }, start),
      'invalid_decision',
    );
    const message = `The end of a grant must be later than now (${start.toISOString()}) and before the year 10000.`;
    expect(refusal).toMatchObject({ message, details: { param: 'expiresAt' } });
  });

  test('is accepted if it ends in one millisecond', () => {
    const soon = { ...approve, expiresAt: later(1) };
    expect(transition(pendingRequest(), soon, start).status).toBe('approved');
  });
});

describe('decline, revocation and expiry', () => {
  test('a decline stores its reason and time, and grants nothing', () => {
    const now = later(day);
    expect(transition(pendingRequest(), decline, now)).toEqual(
      pendingRequest({
        status: 'declined',
        reason: 'not now',
        decidedAt: now,
        lastEventType: 'access_request.declined',
      }),
    );
  });

  test('a revocation keeps the approved scopes for the record', () => {
    const now = later(2 * day);
    expect(transition(approvedRequest(), revoke, now)).toEqual(
      approvedRequest({
        status: 'revoked',
        reason: 'the audit is over',
        decidedAt: now,
        expiringAt: null,
        lastEventType: 'access_request.revoked',
      }),
    );
  });

  test('an expiry changes only the state, because there was no decision', () => {
    expect(transition(pendingRequest(), expire, later(30 * day))).toEqual(
      pendingRequest({ status: 'expired', lastEventType: 'access_request.expired' }),
    );
    expect(transition(approvedRequest(), expire, later(90 * day))).toEqual(
      approvedRequest({
        status: 'expired',
        expiringAt: null,
        lastEventType: 'access_request.expired',
      }),
    );
  });

  test('a transition doesn’t modify the given request', () => {
    const request = Object.freeze(pendingRequest());
    transition(request, approve, start);
    expect(request).toEqual(pendingRequest());
  });
});

describe('an illegal transition', () => {
  const actions: AccessRequestAction[] = [
    approve,
    decline,
    revoke,
    expire,
    { type: 'extend', expiresAt: later(500 * day) },
    { type: 'amend', scopes: ['accounts:read'], purpose: null },
    { type: 'withdraw' },
    { type: 'remind' },
  ];
  const legal: Record<AccessRequestStatus, string[]> = {
    pending: ['approve', 'decline', 'amend', 'withdraw'],
    approved: ['revoke', 'extend', 'amend', 'withdraw'],
    declined: [],
    expired: [],
    revoked: [],
  };
  const illegal = accessRequestStatuses.flatMap((status) =>
    actions
      .filter(({ type }) => !legal[status].includes(type))
      .map((action) => [action.type, status, action] as const),
  );

  test.each(illegal)(
    'is refused with the state in the error: the action is %s and the request is %s',
    async (type, status, action) => {
      await expectRefusalSaying(
        () => transition(pendingRequest({ status }), action, start),
        'illegal_transition',
        `Cannot ${type} the access request ar_1: it is ${status}.`,
      );
    },
  );

  test.each([
    ['approve', approve, pendingRequest()],
    ['decline', decline, pendingRequest()],
    ['revoke', revoke, approvedRequest()],
  ] as const)(
    'is refused at the deadline, but not one millisecond earlier: the action is %s',
    async (type, action, request) => {
      const end = request.deadlineAt;
      expect(transition(request, action, later(-1, end)).status).not.toBe(request.status);
      await expectRefusalSaying(
        () => transition(request, action, end),
        'illegal_transition',
        `Cannot ${type} the access request ar_1: it is expired.`,
      );
    },
  );
});

test.each(['declined', 'expired', 'revoked'] as const)(
  'a request that is %s can’t be changed, even if it still has a pending addition',
  async (status) => {
    const request = approvedRequest({ status, pendingScopes: ['accounts:read'] });
    for (const action of [approve, decline, { type: 'withdraw' } as const]) {
      await expectRefusalSaying(
        () => transition(request, action, start),
        'illegal_transition',
        `it is ${status}`,
      );
    }
  },
);

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
