import { describe, expect, test } from 'vitest';
import {
  type AccessRequest,
  type AccessRequestAction,
  type AccessRequestStatus,
  type Approval,
  accessRequestStatuses,
  asOf,
  transition,
} from '#core';
import { approvedRequest, pendingRequest } from '../../builders.ts';
import { day, expectRefusal, later, start } from '../../world.ts';

const now = later(2 * day);
const end = later(90 * day);
const [metrics, accounts, sources] = ['metrics:read', 'accounts:read', 'sources:read'] as const;

const pending = pendingRequest();
const grant = approvedRequest();
const partly = approvedRequest({ approvedScopes: [metrics] });
const amended = approvedRequest({
  approvedScopes: [metrics],
  pendingScopes: [accounts],
  pendingPurpose: 'The audit',
  lastEventType: 'access_request.amended',
});
const twice = { ...amended, requestedScopes: [metrics], pendingScopes: [accounts, sources] };

type Amendment = Extract<AccessRequestAction, { type: 'amend' }>;
const approve = (scopes?: readonly string[], expiresAt = end) =>
  ({ type: 'approve', scopes, expiresAt }) as const;
const extendTo = (expiresAt: Date) => ({ type: 'extend', expiresAt }) as const;
const amend = (scopes: Amendment['scopes'], purpose: string | null = null) =>
  ({ type: 'amend', scopes, purpose }) as const;
const decline = { type: 'decline', reason: 'not now' } as const;
const revoke = { type: 'revoke', reason: 'the audit is over' } as const;
const withdraw = { type: 'withdraw' } as const;
const expire = { type: 'expire' } as const;
const remind = { type: 'remind' } as const;

const lasting = (expiresAt: Date) => ({
  ...{ expiresAt, deadlineAt: expiresAt, expiringAt: later(-7 * day, expiresAt) },
});
const noAddition = { pendingScopes: [], pendingPurpose: null } as const;
const event = (type: string) => ({
  lastEventType: `access_request.${type}` as AccessRequest['lastEventType'],
});
const extended = (expiresAt: Date) => ({
  ...{ ...event('extended'), ...lasting(expiresAt), decidedAt: now },
});
const approved = { ...noAddition, ...event('approved'), decidedAt: now };

type Row = [what: string, AccessRequest, AccessRequestAction, changes: Partial<AccessRequest>];

describe('a transition of an access request changes only the expected fields', () => {
  const granted = { ...approved, ...lasting(end), status: 'approved' } as const;
  const revoked = { ...event('revoked'), status: 'revoked', expiringAt: null } as const;
  const withdrawn = { ...noAddition, ...event('withdrawn') };
  test.each<Row>([
    [
      'an approval grants all requested scopes by default',
      pending,
      approve(),
      { ...granted, approvedScopes: [metrics, sources] },
    ],
    [
      'an approval of some scopes keeps their order and removes duplicates',
      pendingRequest({ requestedScopes: [metrics, accounts, sources] }),
      approve([sources, metrics, sources]),
      { ...granted, approvedScopes: [metrics, sources] },
    ],
    [
      'a decline stores its reason and time',
      pending,
      decline,
      { ...event('declined'), status: 'declined', reason: 'not now', decidedAt: now },
    ],
    [
      'a revocation keeps the approved scopes for the record',
      grant,
      revoke,
      { ...revoked, reason: 'the audit is over', decidedAt: now },
    ],
    ['an extension moves the end', grant, extendTo(later(200 * day)), extended(later(200 * day))],
    [
      'an extension keeps a pending addition',
      amended,
      extendTo(later(200 * day)),
      extended(later(200 * day)),
    ],
    [
      'an amendment of a pending request adds scopes without duplicates',
      pending,
      amend([accounts, metrics]),
      { ...event('amended'), requestedScopes: [metrics, sources, accounts], amendments: 1 },
    ],
    [
      'an amendment of a pending request can replace its purpose',
      pending,
      amend([], 'New'),
      { ...event('amended'), purpose: 'New', amendments: 1 },
    ],
    [
      'an amendment of a grant adds pending scopes',
      grant,
      amend([metrics, accounts], 'The audit'),
      {
        ...{ ...event('amended'), amendments: 1 },
        ...{ pendingScopes: [accounts], pendingPurpose: 'The audit' },
      },
    ],
    [
      'an amendment can add a scope that was left out of the grant',
      partly,
      amend([sources]),
      { ...event('amended'), amendments: 1, pendingScopes: [sources] },
    ],
    [
      'a second amendment joins both additions and keeps the purpose',
      amended,
      amend([sources]),
      { amendments: 1, pendingScopes: [accounts, sources] },
    ],
    [
      'a second amendment can replace the purpose of the addition',
      amended,
      amend([sources], 'Both'),
      { amendments: 1, pendingScopes: [accounts, sources], pendingPurpose: 'Both' },
    ],
    [
      'the approval of an addition adds its scopes, and its purpose replaces the old one',
      amended,
      approve(),
      {
        ...{ ...approved, purpose: 'The audit', requestedScopes: [metrics, sources, accounts] },
        ...{ approvedScopes: [metrics, accounts], previousScopes: [metrics] },
      },
    ],
    [
      'the approval of an addition without a purpose keeps the old purpose',
      { ...twice, pendingPurpose: null },
      approve([accounts, sources]),
      {
        ...{ ...approved, requestedScopes: [metrics, accounts, sources] },
        ...{ approvedScopes: [metrics, accounts, sources], previousScopes: [metrics] },
      },
    ],
    [
      'the approval of a part of an addition drops its other scopes',
      twice,
      approve([sources]),
      {
        ...{ ...approved, purpose: 'The audit', requestedScopes: [metrics, sources] },
        ...{ approvedScopes: [metrics, sources], previousScopes: [metrics] },
      },
    ],
    [
      'the approval of an addition can also grant scopes that an earlier approval left out, and change the end',
      amended,
      approve([metrics, sources, accounts], later(10 * day)),
      {
        ...{ ...approved, purpose: 'The audit', requestedScopes: [metrics, sources, accounts] },
        ...{ approvedScopes: [metrics, sources, accounts], previousScopes: [metrics] },
        ...lasting(later(10 * day)),
      },
    ],
    [
      'a declined addition is dropped with its purpose, and the grant stays',
      amended,
      decline,
      {
        ...{ ...noAddition, ...event('amendment_declined'), additionDeclined: true },
        ...{ reason: 'not now', decidedAt: now },
      },
    ],
    [
      'a revocation drops a pending addition',
      amended,
      revoke,
      { ...noAddition, ...revoked, reason: 'the audit is over', decidedAt: now },
    ],
    ...[pending, grant, amended].map(
      (request): Row => [
        `a withdrawal ends a request without a decision: ${request.lastEventType}`,
        request,
        withdraw,
        { ...withdrawn, status: 'expired', deadlineAt: now, expiringAt: null },
      ],
    ),
  ])('%s', (_what, request, action, changes) => {
    expect(transition(Object.freeze(request), action, now)).toEqual({ ...request, ...changes });
  });

  test.each([
    ['a pending request', pending, {}],
    ['a grant', grant, { expiringAt: null }],
    ['a grant with a pending addition', amended, { ...noAddition, expiringAt: null }],
  ])(
    'an expiry stores no decision time, and removes the planned notice and a pending addition: %s',
    (_what, request, changes) => {
      const expired = { ...request, ...changes, ...event('expired'), status: 'expired' };
      expect(transition(request, expire, request.deadlineAt)).toEqual(expired);
    },
  );

  test.each([
    ['a grant', grant],
    ['a grant with a pending addition', amended],
  ])(
    'the notice is sent seven days before the end of %s, and keeps a pending addition',
    (_what, request) => {
      const reminded = { ...request, ...event('expiring'), expiringAt: null };
      expect(transition(request, remind, later(83 * day))).toEqual(reminded);
    },
  );
});

describe('the notice before a grant ends', () => {
  test.each([
    ['before it is due', grant, later(83 * day - 1), 'it is approved'],
    ['a second time', { ...grant, expiringAt: null }, later(83 * day), 'it is approved'],
    ['after the grant has ended', grant, end, 'it is expired'],
  ])('is refused %s', async (_when, request, instant, message) => {
    await expectRefusal(() => transition(request, remind, instant), 'illegal_transition', message);
  });

  test.each([
    ['exactly seven days', 7 * day, null],
    ['seven days and a millisecond', 7 * day + 1, later(1)],
  ])(
    'is planned only for a grant that lasts longer than seven days: a grant of %s',
    (_what, lasts, expected) => {
      const granted = transition(pending, approve(undefined, later(lasts)), start);
      expect(granted.expiringAt).toEqual(expected);
    },
  );
});

test('a grant with a pending addition ends exactly at its end, even before its expiry is stored', () => {
  expect(asOf(amended, later(-1, end))).toEqual(amended);
  expect(asOf(amended, end)).toEqual({
    ...{ ...amended, ...noAddition },
    ...{ status: 'expired', version: '1-e', expiringAt: null },
  });
});

describe('an approval', () => {
  test.each([
    ['a scope that wasn’t requested', pending, [metrics, accounts], 'not requested: accounts:read'],
    ['unknown scopes', pending, ['everything', 'all'], 'not requested: everything, all'],
    ['no scopes', pending, [], 'at least one of the requested scopes'],
    ['an addition and an unknown scope', amended, [accounts, 'all'], 'not requested: all'],
    ['no scope of the addition', amended, [sources], 'at least one of the requested scopes'],
  ])(
    'is refused for %s, and the error lists the scopes that can be approved',
    async (_, request, scopes, why) => {
      const attempt = () => transition(request, approve(scopes), now);
      const { details } = await expectRefusal(attempt, 'invalid_decision', why);
      const all = [...request.requestedScopes, ...request.pendingScopes];
      const undecided = request === amended ? [accounts] : request.requestedScopes;
      expect(details).toEqual({ param: 'scopes', allowed: /^at/.test(why) ? undecided : all });
    },
  );

  test.each([
    ['now', now],
    ['in the past', later(-1, now)],
    ['at an invalid date', new Date(Number.NaN)],
  ])('is refused if it ends %s, and so is an extension', async (_when, expiresAt) => {
    const message = `The end of a grant must be later than now (${now.toISOString()}) and before the year 10000.`;
    const attempt = () => transition(pending, approve(undefined, expiresAt), now);
    const refusal = await expectRefusal(attempt, 'invalid_decision');
    expect(refusal).toMatchObject({ message, details: { param: 'expiresAt' } });
  });

  test('is accepted if it ends one millisecond from now', () => {
    expect(transition(pending, approve(undefined, later(1, now)), now).status).toBe('approved');
  });
});

test.each([
  ['the same end', end, /^An extension must end later than the grant does\.$/],
  ['an earlier end', later(-1, end), /^An extension must end later than the grant does\.$/],
  ['an invalid date', new Date(Number.NaN), 'must be later than now'],
])('an extension is refused with %s', async (_what, expiresAt, message) => {
  const attempt = () => transition(grant, extendTo(expiresAt), now);
  const { details } = await expectRefusal(attempt, 'invalid_decision', message);
  expect(details).toEqual({ param: 'expiresAt' });
});

describe('an illegal transition', () => {
  const actions: AccessRequestAction[] = [
    ...[approve(), decline, revoke, expire, extendTo(later(500 * day)), amend([accounts])],
    ...[withdraw, remind, { type: 'review' } as const, { type: 'narrow' } as const],
    ...(['pause', 'resume', 'startUse'] as const).map((type) => ({ type })),
    { type: 'confirm', approval: {} as Approval },
  ];
  const during = ['narrow', 'pause', 'resume', 'startUse'];
  const legal: Record<AccessRequestStatus, string[]> = {
    pending: ['approve', 'decline', 'amend', 'withdraw', 'confirm'],
    approved: [...['revoke', 'extend', 'amend', 'withdraw'], ...during],
    ...{ declined: [], expired: [], revoked: [] },
  };
  const illegal = accessRequestStatuses.flatMap((status) =>
    actions
      .filter(({ type }) => !legal[status].includes(type))
      .map((action) => [action.type, status, action] as const),
  );

  test.each(illegal)(
    'is refused with the status in the error: the action is %s and the access request is %s',
    async (type, status, action) => {
      const attempt = () => transition(pendingRequest({ status }), action, start);
      const message = `Cannot ${type} the access request ar_1: it is ${status}.`;
      await expectRefusal(attempt, 'illegal_transition', message);
    },
  );

  test.each([
    ['approve', approve(), pending],
    ['decline', decline, pending],
    ['revoke', revoke, grant],
  ] as const)(
    'is refused at the deadline of the access request, but not one millisecond earlier: the action is %s',
    async (type, action, request) => {
      const at = request.deadlineAt;
      expect(transition(request, action, later(-1, at)).status).not.toBe(request.status);
      const message = `Cannot ${type} the access request ar_1: it is expired.`;
      await expectRefusal(() => transition(request, action, at), 'illegal_transition', message);
    },
  );

  test.each(['declined', 'expired', 'revoked'] as const)(
    'is refused if an addition is still pending, although the access request has the status %s',
    async (status) => {
      for (const action of [approve(), decline, withdraw]) {
        const attempt = () => transition({ ...amended, status }, action, start);
        await expectRefusal(attempt, 'illegal_transition', `it is ${status}`);
      }
    },
  );
});
