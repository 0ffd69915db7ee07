import { describe, expect, test } from 'vitest';
import {
  type AccessRequest,
  type AccessRequestAction,
  changesNothing,
  type RepeatableAction,
  transition,
} from '#core';
import { approvedRequest, pendingRequest } from '../../builders.ts';
import { day, later, start } from '../../world.ts';

const end = later(90 * day);
const partly = approvedRequest({ approvedScopes: ['metrics:read'] });
/** First the metrics were approved, then the accounts. */
const widened = approvedRequest({
  requestedScopes: ['metrics:read', 'sources:read', 'accounts:read'],
  approvedScopes: ['metrics:read', 'accounts:read'],
  previousScopes: ['metrics:read'],
});
const amended = { ...partly, pendingScopes: ['accounts:read'] } satisfies AccessRequest;
const withStatus = (status: AccessRequest['status'], reason: string | null = null) =>
  pendingRequest({ status, reason });
const additionDeclined = approvedRequest({
  reason: 'no',
  additionDeclined: true,
  lastEventType: 'access_request.amendment_declined',
});

const cases: [string, AccessRequest, RepeatableAction, boolean][] = [
  ['approving all of a grant', partly, { type: 'approve' }, true],
  ['approving the same part', partly, { type: 'approve', scopes: ['metrics:read'] }, true],
  ['approving the same end', partly, { type: 'approve', expiresAt: end }, true],
  ['approving another end', partly, { type: 'approve', expiresAt: later(day) }, false],
  ['approving more', partly, { type: 'approve', scopes: ['metrics:read', 'sources:read'] }, false],
  ['approving less', approvedRequest(), { type: 'approve', scopes: ['metrics:read'] }, false],
  ['approving nothing', partly, { type: 'approve', scopes: [] }, false],
  ['approving the addition again', widened, { type: 'approve', scopes: ['accounts:read'] }, true],
  [
    'approving all that is approved after an addition',
    widened,
    { type: 'approve', scopes: ['accounts:read', 'metrics:read'] },
    true,
  ],
  ['only the first part after it', widened, { type: 'approve', scopes: ['metrics:read'] }, false],
  ['approving while an addition waits', amended, { type: 'approve' }, false],
  ['what is granted, meanwhile', amended, { type: 'approve', scopes: ['metrics:read'] }, true],
  ['approving what is pending', pendingRequest(), { type: 'approve' }, false],
  ['approving what was declined', withStatus('declined'), { type: 'approve' }, false],
  ['declining twice', withStatus('declined', 'no'), { type: 'decline', reason: 'no' }, true],
  ['with no reason now', withStatus('declined', 'no'), { type: 'decline', reason: null }, true],
  ['with another reason', withStatus('declined', 'no'), { type: 'decline', reason: 'yes' }, false],
  ['declining an addition twice', additionDeclined, { type: 'decline', reason: 'no' }, true],
  ['for a reason that it was not', additionDeclined, { type: 'decline', reason: 'yes' }, false],
  ['declining a grant', approvedRequest(), { type: 'decline', reason: null }, false],
  ['declining what was revoked', withStatus('revoked'), { type: 'decline', reason: null }, false],
  ['revoking twice', withStatus('revoked', 'no'), { type: 'revoke', reason: 'no' }, true],
  ['for another reason', withStatus('revoked', 'no'), { type: 'revoke', reason: 'yes' }, false],
  ['revoking a grant', approvedRequest(), { type: 'revoke', reason: null }, false],
  ['extending to the same end', partly, { type: 'extend', expiresAt: end }, true],
  ['extending further', partly, { type: 'extend', expiresAt: later(91 * day) }, false],
  ['extending what is over', withStatus('expired'), { type: 'extend', expiresAt: end }, false],
  [
    'asking for what is asked',
    pendingRequest(),
    { type: 'amend', scopes: ['sources:read'], purpose: 'Other' },
    true,
  ],
  [
    'asking for more',
    pendingRequest(),
    { type: 'amend', scopes: ['accounts:read'], purpose: null },
    false,
  ],
  [
    'asking for what is granted or waits',
    amended,
    { type: 'amend', scopes: ['metrics:read', 'accounts:read'], purpose: null },
    true,
  ],
  [
    'asking for what was left out',
    amended,
    { type: 'amend', scopes: ['sources:read'], purpose: null },
    false,
  ],
  [
    'requesting an addition to an expired grant',
    withStatus('expired'),
    { type: 'amend', scopes: ['metrics:read'], purpose: null },
    false,
  ],
  ['withdrawing twice', withStatus('expired'), { type: 'withdraw' }, true],
  ['withdrawing a grant', approvedRequest(), { type: 'withdraw' }, false],
  ['withdrawing what was declined', withStatus('declined'), { type: 'withdraw' }, false],
];

describe('an action without effect is recognised', () => {
  test.each(cases)('%s', (_what, request, action, expected) => {
    expect(changesNothing(request, action, start)).toBe(expected);
  });

  test.each<[string, AccessRequestAction, Date]>([
    ['an extension', { type: 'extend', expiresAt: later(91 * day) }, start],
    ['the notice of the end', { type: 'remind' }, later(83 * day)],
  ])('for declining an addition twice, even after %s', (_what, between, now) => {
    const declined = transition(amended, { type: 'decline', reason: 'no' }, start);
    const after = transition(declined, between, now);
    expect(changesNothing(after, { type: 'decline', reason: 'no' }, now)).toBe(true);
  });

  test('for declining an addition, unless another one is pending or was approved', () => {
    const decline = { type: 'decline', reason: null } as const;
    const declined = transition(amended, decline, start);
    const again: AccessRequestAction = { type: 'amend', scopes: ['accounts:read'], purpose: null };
    const waiting = transition(declined, again, start);
    expect(changesNothing(waiting, decline, start)).toBe(false);
    const approved = transition(waiting, { type: 'approve', expiresAt: end }, start);
    expect(changesNothing(approved, decline, start)).toBe(false);
  });

  test('by the current state of the request', () => {
    expect(changesNothing(approvedRequest(), { type: 'approve' }, later(-1, end))).toBe(true);
    expect(changesNothing(approvedRequest(), { type: 'approve' }, end)).toBe(false);
    expect(changesNothing(approvedRequest(), { type: 'withdraw' }, end)).toBe(true);
  });

  test.each<RepeatableAction>([
    { type: 'extend', expiresAt: end },
    { type: 'amend', scopes: ['metrics:read'], purpose: null },
    { type: 'decline', reason: 'no' },
  ])('until the grant ends: $type', (action) => {
    expect(changesNothing(additionDeclined, action, later(-1, end))).toBe(true);
    expect(changesNothing(additionDeclined, action, end)).toBe(false);
  });
});
