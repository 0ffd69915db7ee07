import { describe, expect, test } from 'vitest';
import {
  type AccessRequest,
  type AccessUse,
  approvalOf,
  awaitsDecision,
  type CompanyDecision,
  decisionTypes,
  eventsOf,
  type GrantableScope,
  grantPeriods,
  isPossible,
  latestPurpose,
  noLimits,
  proposedPeriod,
  proposedScopes,
  reviewDecision,
  showsStatus,
  transition,
  undecidedScopes,
} from '#core';
import { approvedRequest, arrTerms, pendingRequest } from '../../builders.ts';
import { day, expectRefusal, later, start } from '../../world.ts';

const pending = pendingRequest({ version: 'ver_1' });
const grant = approvedRequest({ requestedScopes: ['metrics:read'], version: 'ver_1' });
const amended: AccessRequest = {
  ...grant,
  approvedScopes: ['metrics:read'],
  pendingScopes: ['accounts:read'],
  pendingPurpose: 'The audit',
};
const over = (['declined', 'expired', 'revoked'] as const).map((status) =>
  approvedRequest({ status }),
);

describe('the pending scopes that the company must decide on', () => {
  test('are all scopes of a pending request, with its purpose', () => {
    expect(undecidedScopes(pending)).toEqual(pending.requestedScopes);
    expect(latestPurpose(pending)).toBe('Quarterly reporting');
  });

  test('are only the added scopes of an amended grant, with the purpose of the addition', () => {
    expect(undecidedScopes(amended)).toEqual(['accounts:read']);
    expect(latestPurpose(amended)).toBe('The audit');
    expect(latestPurpose({ ...amended, pendingPurpose: null })).toBeNull();
  });

  test.each([grant, ...over])('are empty if the request is decided: $status', (request) => {
    expect(awaitsDecision(request)).toBe(false);
    expect(undecidedScopes(request)).toEqual([]);
    expect(latestPurpose(request)).toBe('Quarterly reporting');
  });
});

test('a company can approve or decline pending scopes, and extend or revoke a live grant', () => {
  const possible = (request: AccessRequest) =>
    decisionTypes.filter((type) => isPossible(request, type));
  const during = ['narrow', 'pause', 'resume', 'extend', 'revoke'];
  expect(possible(pending)).toEqual(['approve', 'decline']);
  expect(possible(grant)).toEqual(during);
  expect(possible(amended)).toEqual(['approve', 'decline', ...during]);
  for (const request of over) expect(possible(request)).toEqual([]);
});

test('each type of decision causes one type of event, but a decline causes one of two types', () => {
  expect(decisionTypes.map((type) => [...eventsOf(type)])).toEqual([
    ['access_request.approved'],
    ['access_request.declined', 'access_request.amendment_declined'],
    ['access_request.narrowed'],
    ['access_request.paused'],
    ['access_request.resumed'],
    ['access_request.extended'],
    ['access_request.revoked'],
  ]);
});

test('the proposed end of an approval is the grant’s current end, or the default period from now for a new grant', () => {
  expect(approvalOf({}, pending, 90, start)).toMatchObject({ expiresAt: later(90 * day) });
  expect(approvalOf({}, grant, 90, start)).toMatchObject({ expiresAt: grant.expiresAt });
});

test('the proposed end of a grant for one use that becomes ongoing is the default period', () => {
  const used = { ...grant, approvedTerms: arrTerms({ use: 'once' }), firstReadAt: start };
  const proposed = (use: AccessUse) =>
    approvalOf({}, { ...used, pendingTerms: { ...noLimits, use } }, 90, start).expiresAt;
  expect(proposed('ongoing')).toEqual(later(90 * day));
  expect(proposed('once')).toEqual(grant.expiresAt);
});

test('the proposed period is the shortest period that has time for a notice before its end, or else the longest period', () => {
  expect(grantPeriods(180)).toEqual([30, 90, 180, 365]);
  expect(grantPeriods(90)).toEqual([30, 90, 365]);
  expect(proposedPeriod(grantPeriods(3))).toBe(30);
  expect(proposedPeriod([7, 8])).toBe(8);
  expect(proposedPeriod([3, 5, 7])).toBe(7);
});

test('a single undecided scope is proposed for approval, but several undecided scopes are not', () => {
  const asking = (...requestedScopes: GrantableScope[]) => ({ ...pending, requestedScopes });
  expect(proposedScopes(asking('metrics:read', 'sources:read'))).toEqual([]);
  expect(proposedScopes(asking('accounts:read'))).toEqual(['accounts:read']);
  expect(proposedScopes({ ...amended, pendingScopes: ['accounts:read'] })).toEqual([
    'accounts:read',
  ]);
  expect(proposedScopes(grant)).toEqual([]);
});

test('the last signed receipt shows the status of an access request, unless the request has expired', () => {
  const signed = { awaitsSignature: false };
  expect(showsStatus(signed, pending)).toBe(true);
  expect(showsStatus(signed, { status: 'revoked' })).toBe(true);
  expect(showsStatus(signed, { status: 'expired' })).toBe(false);
  expect(showsStatus({ awaitsSignature: true }, pending)).toBe(false);
});

describe('the preview of a decision', () => {
  const review = (
    request: AccessRequest,
    decision: CompanyDecision,
    version: string | null = request.version,
    now = start,
  ) => reviewDecision(request, decision, { version, grantTtlDays: 90, now });

  test.each<[AccessRequest, CompanyDecision]>([
    [pending, { type: 'decline', reason: 'not now' }],
    [amended, { type: 'decline', reason: null }],
    [grant, { type: 'revoke', reason: null }],
    [grant, { type: 'extend', expiresAt: later(200 * day) }],
  ])('returns the same result as the decision itself: case %#', (request, decision) => {
    const action = decision as Exclude<CompanyDecision, { type: 'approve' }>;
    expect(review(request, decision)).toEqual(transition(request, action, start));
  });

  test('uses the given end of an approval, or the proposed end if no end is given', () => {
    const named = { type: 'approve', scopes: ['metrics:read'], expiresAt: later(day) } as const;
    expect(review(pending, named)).toEqual(transition(pending, named, start));
    expect(review(pending, { type: 'approve' }).expiresAt).toEqual(later(90 * day));
    expect(review(amended, { type: 'approve' })).toMatchObject({
      approvedScopes: ['metrics:read', 'accounts:read'],
      expiresAt: grant.expiresAt,
    });
  });

  test('doesn’t modify the given request', () => {
    const before = structuredClone(pending);
    review(pending, { type: 'approve' });
    expect(pending).toEqual(before);
  });

  test('throws the same error as the decision itself', async () => {
    const decline = { type: 'decline', reason: null } as const;
    const extend = { type: 'extend', expiresAt: grant.deadlineAt } as const;
    const onlyNothing = { type: 'approve', scopes: [] } as const;
    await expectRefusal(() => review(pending, decline, 'ver_0'), 'request_changed', 'ar_1');
    await expectRefusal(
      () => review(pending, decline, 'ver_1', pending.deadlineAt),
      'request_changed',
      'expired',
    );
    await expectRefusal(() => review(grant, decline), 'illegal_transition', 'approved');
    await expectRefusal(() => review(pending, onlyNothing), 'invalid_decision', 'at least');
    await expectRefusal(() => review(grant, extend), 'invalid_decision', 'later');
  });

  test.each(['ver_0', null])(
    'allows a revocation even with an old version or without a version: %s',
    (version) => {
      const changed = { ...grant, amendments: 1 };
      const read = { version, grantTtlDays: 90, now: start };
      expect(reviewDecision(changed, { type: 'revoke', reason: null }, read).status).toBe(
        'revoked',
      );
    },
  );
});
