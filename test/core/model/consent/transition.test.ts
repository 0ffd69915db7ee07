import { describe, expect, test } from 'vitest';
import { type AccessRequest, type AccessRequestAction, asOf, covers, transition } from '#core';
import { approvedRequest, pendingRequest } from '../../builders.ts';
import { day, expectRefusal, expectRefusalSaying, later, start } from '../../world.ts';

const now = later(2 * day);

/** A grant for the metrics with a pending addition: the investor has also requested the accounts. */
function amendedRequest(overrides: Partial<AccessRequest> = {}): AccessRequest {
  return approvedRequest({
    requestedScopes: ['metrics:read', 'sources:read'],
    approvedScopes: ['metrics:read'],
    pendingScopes: ['accounts:read'],
    pendingPurpose: 'The audit',
    lastEventType: 'access_request.amended',
    ...overrides,
  });
}

const approve = (scopes?: readonly string[], expiresAt = later(90 * day)) =>
  ({ type: 'approve', scopes, expiresAt }) as const;
const extendTo = (expiresAt: Date) => ({ type: 'extend', expiresAt }) as const;
const amend = (
  scopes: Extract<AccessRequestAction, { type: 'amend' }>['scopes'],
  purpose: string | null = null,
) => ({ type: 'amend', scopes, purpose }) as const;

describe('extending a grant', () => {
  test('moves the end of the grant and the notice before the end', () => {
    const end = later(200 * day);
    expect(transition(approvedRequest(), extendTo(end), now)).toEqual(
      approvedRequest({
        decidedAt: now,
        expiresAt: end,
        deadlineAt: end,
        expiringAt: later(193 * day),
        lastEventType: 'access_request.extended',
      }),
    );
  });

  test('keeps the pending addition', () => {
    const extended = transition(amendedRequest(), extendTo(later(91 * day)), now);
    expect(extended.pendingScopes).toEqual(['accounts:read']);
    expect(extended.pendingPurpose).toBe('The audit');
  });

  test.each([
    ['the same end', later(90 * day)],
    ['an earlier end', later(89 * day)],
  ])('is refused if the new end is %s', async (_what, end) => {
    const refusal = await expectRefusal(
      () => transition(approvedRequest(), extendTo(end), now),
      'invalid_decision',
    );
    const message = 'An extension must end later than the grant does.';
    expect(refusal).toMatchObject({ message, details: { param: 'expiresAt' } });
  });

  test('is refused if the new end is an invalid date', async () => {
    await expectRefusalSaying(
      () => transition(approvedRequest(), extendTo(new Date(Number.NaN)), now),
      'invalid_decision',
      'must be later than now',
    );
  });
});

describe('amending a request', () => {
  test('adds scopes to a pending request without duplicates, and keeps the purpose if no new one is given', () => {
    const grown = transition(pendingRequest(), amend(['accounts:read', 'metrics:read']), now);
    expect(grown).toEqual(
      pendingRequest({
        requestedScopes: ['metrics:read', 'sources:read', 'accounts:read'],
        amendments: 1,
        lastEventType: 'access_request.amended',
      }),
    );
    expect(transition(pendingRequest(), amend(['accounts:read'], 'New'), now).purpose).toBe('New');
  });

  test('adds pending scopes to a grant, and leaves its scopes, purpose and end unchanged', () => {
    const granted = approvedRequest();
    expect(transition(granted, amend(['metrics:read', 'accounts:read'], 'The audit'), now)).toEqual(
      {
        ...granted,
        pendingScopes: ['accounts:read'],
        pendingPurpose: 'The audit',
        amendments: 1,
        lastEventType: 'access_request.amended',
      },
    );
  });

  test('can add a scope that was left out of the grant', () => {
    const partly = approvedRequest({ approvedScopes: ['metrics:read'] });
    const asked = transition(partly, amend(['sources:read']), now);
    expect(asked.pendingScopes).toEqual(['sources:read']);
    expect(asked.pendingPurpose).toBeNull();
  });

  test('joins both additions if a request is amended twice, and keeps the latest purpose that was given', () => {
    const more = transition(amendedRequest(), amend(['sources:read']), now);
    expect(more.pendingScopes).toEqual(['accounts:read', 'sources:read']);
    expect(more.pendingPurpose).toBe('The audit');
    expect(transition(amendedRequest(), amend(['sources:read'], 'Both'), now).pendingPurpose).toBe(
      'Both',
    );
  });

  test('makes the request cover the pending scopes as well', () => {
    expect(covers(amendedRequest(), ['accounts:read', 'metrics:read'])).toBe(true);
  });
});

describe('an addition', () => {
  test('extends the requested and approved scopes when it is approved, and its purpose replaces the old one', () => {
    expect(transition(amendedRequest(), approve(), now)).toEqual(
      approvedRequest({
        requestedScopes: ['metrics:read', 'sources:read', 'accounts:read'],
        approvedScopes: ['metrics:read', 'accounts:read'],
        previousScopes: ['metrics:read'],
        purpose: 'The audit',
        decidedAt: now,
      }),
    );
  });

  test('keeps the old purpose if it is approved and has no purpose', () => {
    const approved = transition(amendedRequest({ pendingPurpose: null }), approve(), now);
    expect(approved.purpose).toBe('Quarterly reporting');
  });

  test('loses its other scopes if it is approved in part', () => {
    const both = amendedRequest({
      requestedScopes: ['metrics:read'],
      pendingScopes: ['accounts:read', 'sources:read'],
    });
    const approved = transition(both, approve(['sources:read']), now);
    expect(approved.requestedScopes).toEqual(['metrics:read', 'sources:read']);
    expect(approved.approvedScopes).toEqual(['metrics:read', 'sources:read']);
    expect(approved.pendingScopes).toEqual([]);
  });

  test('can be approved together with scopes that are already approved, with another end', () => {
    const scopes = ['metrics:read', 'accounts:read'];
    const approved = transition(amendedRequest(), approve(scopes, later(10 * day)), now);
    expect(approved.approvedScopes).toEqual(scopes);
    expect(approved.expiresAt).toEqual(later(10 * day));
    expect(approved.expiringAt).toEqual(later(3 * day));
  });

  test('can be approved together with a scope that an earlier approval left out', () => {
    const scopes = ['sources:read', 'accounts:read'];
    expect(transition(amendedRequest(), approve(scopes), now).approvedScopes).toEqual([
      'metrics:read',
      'sources:read',
      'accounts:read',
    ]);
  });

  test.each([
    [
      'only scopes that aren’t part of the addition',
      ['sources:read'],
      'needs at least one of the requested scopes',
    ],
    ['no scopes', [], 'needs at least one of the requested scopes'],
    ['an unknown scope', ['accounts:read', 'everything'], 'not requested: everything'],
  ])('can’t be approved with %s', async (_what, scopes, message) => {
    await expectRefusalSaying(
      () => transition(amendedRequest(), approve(scopes), now),
      'invalid_decision',
      message,
    );
  });

  test('is dropped with its purpose if it is declined, and the grant stays', () => {
    const reason = 'Not the accounts.';
    expect(transition(amendedRequest(), { type: 'decline', reason }, now)).toEqual(
      approvedRequest({
        additionDeclined: true,
        approvedScopes: ['metrics:read'],
        reason,
        decidedAt: now,
        lastEventType: 'access_request.amendment_declined',
      }),
    );
  });

  test.each([
    ['revoked', { type: 'revoke', reason: null }, now],
    ['withdrawn', { type: 'withdraw' }, now],
    ['expired', { type: 'expire' }, later(90 * day)],
  ] as const)('is dropped if its grant is %s', (_how, action, when) => {
    const ended = transition(amendedRequest(), action, when);
    expect(ended).toMatchObject({ pendingScopes: [], pendingPurpose: null, expiringAt: null });
    expect(ended.purpose).toBe('Quarterly reporting');
  });

  test('ends exactly at the end of its grant, even if the expiry isn’t stored yet', () => {
    const end = later(90 * day);
    expect(asOf(amendedRequest(), later(-1, end))).toEqual(amendedRequest());
    expect(asOf(amendedRequest(), end)).toEqual(
      amendedRequest({
        status: 'expired',
        version: '1-e',
        pendingScopes: [],
        pendingPurpose: null,
        expiringAt: null,
      }),
    );
  });
});

describe('withdrawing', () => {
  test.each([
    ['a pending request', pendingRequest()],
    ['a grant', approvedRequest()],
  ])('%s ends the request without a decision', (_what, request) => {
    expect(transition(request, { type: 'withdraw' }, now)).toEqual({
      ...request,
      status: 'expired',
      deadlineAt: now,
      expiringAt: null,
      lastEventType: 'access_request.withdrawn',
    });
  });
});

describe('the notice before a grant ends', () => {
  const remind = { type: 'remind' } as const;

  test('is due once, seven days before the end, and changes nothing else', () => {
    const due = later(83 * day);
    const reminded = transition(approvedRequest(), remind, due);
    expect(reminded).toEqual(
      approvedRequest({ expiringAt: null, lastEventType: 'access_request.expiring' }),
    );
    expect(() => transition(reminded, remind, due)).toThrow('it is approved');
  });

  test.each([
    ['before it is due', later(83 * day - 1), 'it is approved'],
    ['after the grant has ended', later(90 * day), 'it is expired'],
  ])('is refused %s', async (_when, instant, message) => {
    await expectRefusalSaying(
      () => transition(approvedRequest(), remind, instant),
      'illegal_transition',
      message,
    );
  });

  test('is also due for an amended grant, and keeps the pending addition', () => {
    const reminded = transition(amendedRequest(), remind, later(83 * day));
    expect(reminded.pendingScopes).toEqual(['accounts:read']);
  });

  test.each([
    ['exactly seven days', 7 * day, null],
    ['seven days and a millisecond', 7 * day + 1, later(1)],
  ])('is planned only if the grant lasts longer than seven days: %s', (_what, lasts, expected) => {
    const granted = transition(pendingRequest(), approve(undefined, later(lasts)), start);
    expect(granted.expiringAt).toEqual(expected);
  });
});
