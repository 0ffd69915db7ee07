import { describe, expect, test } from 'vitest';
import {
  type AccessRequest,
  type AccessRequestAction,
  changesNothing,
  type GrantableScope,
  type RepeatableAction,
  transition,
} from '#core';
import { approvedRequest, pendingRequest } from '../../builders.ts';
import { day, later, start } from '../../world.ts';

const end = later(90 * day);
const approve = (...scopes: string[]): RepeatableAction => ({ type: 'approve', scopes });
const approveAll: RepeatableAction = { type: 'approve' };
const decline = (reason: string | null = null) => ({ type: 'decline', reason }) as const;
const revoke = (reason: string | null = null) => ({ type: 'revoke', reason }) as const;
const extend = (expiresAt: Date) => ({ type: 'extend', expiresAt }) as const;
const amend = (...scopes: GrantableScope[]) =>
  ({ type: 'amend', scopes, purpose: 'Another purpose' }) as const;
const withdraw = { type: 'withdraw' } as const;

const pending = pendingRequest();
const [declined, revoked, expired] = (['declined', 'revoked', 'expired'] as const).map((status) =>
  pendingRequest({ status, reason: 'no' }),
) as [AccessRequest, AccessRequest, AccessRequest];
const grant = approvedRequest();
const partly = approvedRequest({ approvedScopes: ['metrics:read'] });
const widened = approvedRequest({
  requestedScopes: ['metrics:read', 'sources:read', 'accounts:read'],
  approvedScopes: ['metrics:read', 'accounts:read'],
  previousScopes: ['metrics:read'],
});
const amended = { ...partly, pendingScopes: ['accounts:read'] } satisfies AccessRequest;
const additionDeclined = approvedRequest({
  reason: 'no',
  additionDeclined: true,
  lastEventType: 'access_request.amendment_declined',
});

type Case = readonly [what: string, AccessRequest, RepeatableAction];

describe('the check for repeated actions', () => {
  test.each<Case>([
    ['approving a grant again', partly, approveAll],
    ['approving the same scopes again', partly, approve('metrics:read')],
    ['approving a grant again with the same end', partly, { type: 'approve', expiresAt: end }],
    ['approving an addition again', widened, approve('accounts:read')],
    ['approving all scopes of a widened grant', widened, approve('accounts:read', 'metrics:read')],
    ['approving the granted scope while an addition waits', amended, approve('metrics:read')],
    ['declining again with the same reason', declined, decline('no')],
    ['declining again without a reason', declined, decline()],
    ['declining an addition again with the same reason', additionDeclined, decline('no')],
    ['revoking again with the same reason', revoked, revoke('no')],
    ['extending a grant to its current end', partly, extend(end)],
    ['requesting a requested scope', pending, amend('sources:read')],
    ['requesting granted and pending scopes', amended, amend('metrics:read', 'accounts:read')],
    ['withdrawing a request again', expired, withdraw],
  ])('recognises a repetition: %s', (_what, request, action) => {
    expect(changesNothing(request, action, start)).toBe(true);
  });

  test.each<Case>([
    ['approving a grant with another end', partly, { type: 'approve', expiresAt: later(day) }],
    ['approving an additional scope', partly, approve('metrics:read', 'sources:read')],
    ['approving fewer scopes', grant, approve('metrics:read')],
    ['approving no scopes', partly, approve()],
    ['approving only the earlier scopes after an addition', widened, approve('metrics:read')],
    ['approving a pending addition', amended, approveAll],
    ['approving a pending request', pending, approveAll],
    ['approving a declined request', declined, approveAll],
    ['declining again with another reason', declined, decline('yes')],
    ['declining an addition again with another reason', additionDeclined, decline('yes')],
    ['declining a grant', grant, decline()],
    ['declining a revoked request', revoked, decline()],
    ['revoking again with another reason', revoked, revoke('yes')],
    ['revoking a live grant', grant, revoke()],
    ['extending a grant to a later end', partly, extend(later(91 * day))],
    ['extending an expired grant', expired, extend(end)],
    ['requesting an additional scope', pending, amend('accounts:read')],
    ['requesting a scope that the approval left out', amended, amend('sources:read')],
    ['requesting an addition to an expired grant', expired, amend('metrics:read')],
    ['withdrawing a live grant', grant, withdraw],
    ['withdrawing a declined request', declined, withdraw],
  ])('recognises a new action: %s', (_what, request, action) => {
    expect(changesNothing(request, action, start)).toBe(false);
  });

  test.each<[string, AccessRequestAction, Date]>([
    ['an extension', extend(later(91 * day)), start],
    ['the notice that the grant ends soon', { type: 'remind' }, later(83 * day)],
  ])('recognises a second decline of the same addition, even after %s', (_what, between, now) => {
    const after = transition(transition(amended, decline('no'), start), between, now);
    expect(changesNothing(after, decline('no'), now)).toBe(true);
  });

  test('treats a decline as a new action if another addition is pending or was approved since the first decline', () => {
    const once = transition(amended, decline(), start);
    const waiting = transition(once, amend('accounts:read'), start);
    expect(changesNothing(waiting, decline(), start)).toBe(false);
    const approved = transition(waiting, { type: 'approve', expiresAt: end }, start);
    expect(changesNothing(approved, decline(), start)).toBe(false);
  });

  test.each<RepeatableAction>([approveAll, extend(end), amend('metrics:read'), decline('no')])(
    'recognises a repeated action only until the end of the grant: $type',
    (action) => {
      const request = action.type === 'approve' ? grant : additionDeclined;
      expect(changesNothing(request, action, later(-1, end))).toBe(true);
      expect(changesNothing(request, action, end)).toBe(false);
    },
  );

  test('recognises a repeated withdrawal even after the end of the grant', () => {
    expect(changesNothing(grant, withdraw, end)).toBe(true);
  });
});
