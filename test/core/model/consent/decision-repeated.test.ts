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
/** A grant whose metrics were approved first, and whose accounts were approved later as an addition. */
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
  ['approving a grant again is a repetition', partly, { type: 'approve' }, true],
  [
    'approving the same scopes again is a repetition',
    partly,
    { type: 'approve', scopes: ['metrics:read'] },
    true,
  ],
  [
    'approving a grant again with the same end is a repetition',
    partly,
    { type: 'approve', expiresAt: end },
    true,
  ],
  [
    'approving a grant with another end isn’t a repetition',
    partly,
    { type: 'approve', expiresAt: later(day) },
    false,
  ],
  [
    'approving an additional scope isn’t a repetition',
    partly,
    { type: 'approve', scopes: ['metrics:read', 'sources:read'] },
    false,
  ],
  [
    'approving fewer scopes isn’t a repetition',
    approvedRequest(),
    { type: 'approve', scopes: ['metrics:read'] },
    false,
  ],
  ['approving no scopes isn’t a repetition', partly, { type: 'approve', scopes: [] }, false],
  [
    'approving an addition again is a repetition',
    widened,
    { type: 'approve', scopes: ['accounts:read'] },
    true,
  ],
  [
    'approving all approved scopes again after an addition is a repetition',
    widened,
    { type: 'approve', scopes: ['accounts:read', 'metrics:read'] },
    true,
  ],
  [
    'approving only the earlier scopes after an addition isn’t a repetition',
    widened,
    { type: 'approve', scopes: ['metrics:read'] },
    false,
  ],
  ['approving a pending addition isn’t a repetition', amended, { type: 'approve' }, false],
  [
    'approving the granted scope again while an addition is pending is a repetition',
    amended,
    { type: 'approve', scopes: ['metrics:read'] },
    true,
  ],
  ['approving a pending request isn’t a repetition', pendingRequest(), { type: 'approve' }, false],
  [
    'approving a declined request isn’t a repetition',
    withStatus('declined'),
    { type: 'approve' },
    false,
  ],
  [
    'declining a request again with the same reason is a repetition',
    withStatus('declined', 'no'),
    { type: 'decline', reason: 'no' },
    true,
  ],
  [
    'declining a request again without a reason is a repetition',
    withStatus('declined', 'no'),
    { type: 'decline', reason: null },
    true,
  ],
  [
    'declining a request again with another reason isn’t a repetition',
    withStatus('declined', 'no'),
    { type: 'decline', reason: 'yes' },
    false,
  ],
  [
    'declining an addition again with the same reason is a repetition',
    additionDeclined,
    { type: 'decline', reason: 'no' },
    true,
  ],
  [
    'declining an addition again with another reason isn’t a repetition',
    additionDeclined,
    { type: 'decline', reason: 'yes' },
    false,
  ],
  [
    'declining a grant isn’t a repetition',
    approvedRequest(),
    { type: 'decline', reason: null },
    false,
  ],
  [
    'declining a revoked request isn’t a repetition',
    withStatus('revoked'),
    { type: 'decline', reason: null },
    false,
  ],
  [
    'revoking a grant again with the same reason is a repetition',
    withStatus('revoked', 'no'),
    { type: 'revoke', reason: 'no' },
    true,
  ],
  [
    'revoking a grant again with another reason isn’t a repetition',
    withStatus('revoked', 'no'),
    { type: 'revoke', reason: 'yes' },
    false,
  ],
  [
    'revoking a live grant isn’t a repetition',
    approvedRequest(),
    { type: 'revoke', reason: null },
    false,
  ],
  [
    'extending a grant to its current end is a repetition',
    partly,
    { type: 'extend', expiresAt: end },
    true,
  ],
  [
    'extending a grant to a later end isn’t a repetition',
    partly,
    { type: 'extend', expiresAt: later(91 * day) },
    false,
  ],
  [
    'extending an expired grant isn’t a repetition',
    withStatus('expired'),
    { type: 'extend', expiresAt: end },
    false,
  ],
  [
    'requesting a scope that was already requested is a repetition',
    pendingRequest(),
    { type: 'amend', scopes: ['sources:read'], purpose: 'Other' },
    true,
  ],
  [
    'requesting an additional scope isn’t a repetition',
    pendingRequest(),
    { type: 'amend', scopes: ['accounts:read'], purpose: null },
    false,
  ],
  [
    'requesting granted and pending scopes again is a repetition',
    amended,
    { type: 'amend', scopes: ['metrics:read', 'accounts:read'], purpose: null },
    true,
  ],
  [
    'requesting a scope that the approval left out isn’t a repetition',
    amended,
    { type: 'amend', scopes: ['sources:read'], purpose: null },
    false,
  ],
  [
    'requesting an addition to an expired grant isn’t a repetition',
    withStatus('expired'),
    { type: 'amend', scopes: ['metrics:read'], purpose: null },
    false,
  ],
  [
    'withdrawing a request again is a repetition',
    withStatus('expired'),
    { type: 'withdraw' },
    true,
  ],
  ['withdrawing a live grant isn’t a repetition', approvedRequest(), { type: 'withdraw' }, false],
  [
    'withdrawing a declined request isn’t a repetition',
    withStatus('declined'),
    { type: 'withdraw' },
    false,
  ],
];

describe('the check for repeated actions', () => {
  test.each(cases)('%s', (_what, request, action, expected) => {
    expect(changesNothing(request, action, start)).toBe(expected);
  });

  test.each<[string, AccessRequestAction, Date]>([
    ['an extension', { type: 'extend', expiresAt: later(91 * day) }, start],
    ['the notice before the end of the grant', { type: 'remind' }, later(83 * day)],
  ])('recognises that an addition is declined again, even after %s', (_what, between, now) => {
    const declined = transition(amended, { type: 'decline', reason: 'no' }, start);
    const after = transition(declined, between, now);
    expect(changesNothing(after, { type: 'decline', reason: 'no' }, now)).toBe(true);
  });

  test('doesn’t take a decline as a repetition if another addition is pending or was approved', () => {
    const decline = { type: 'decline', reason: null } as const;
    const declined = transition(amended, decline, start);
    const again: AccessRequestAction = { type: 'amend', scopes: ['accounts:read'], purpose: null };
    const waiting = transition(declined, again, start);
    expect(changesNothing(waiting, decline, start)).toBe(false);
    const approved = transition(waiting, { type: 'approve', expiresAt: end }, start);
    expect(changesNothing(approved, decline, start)).toBe(false);
  });

  test('takes into account that the grant has ended, even if the expiry isn’t stored yet', () => {
    expect(changesNothing(approvedRequest(), { type: 'approve' }, later(-1, end))).toBe(true);
    expect(changesNothing(approvedRequest(), { type: 'approve' }, end)).toBe(false);
    expect(changesNothing(approvedRequest(), { type: 'withdraw' }, end)).toBe(true);
  });

  test.each<RepeatableAction>([
    { type: 'extend', expiresAt: end },
    { type: 'amend', scopes: ['metrics:read'], purpose: null },
    { type: 'decline', reason: 'no' },
  ])('recognises a repeated action only until the grant ends: $type', (action) => {
    expect(changesNothing(additionDeclined, action, later(-1, end))).toBe(true);
    expect(changesNothing(additionDeclined, action, end)).toBe(false);
  });
});
