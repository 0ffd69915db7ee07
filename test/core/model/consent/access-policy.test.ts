import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccessFacts,
  type AccessTerms,
  type Authorization,
  accessRequestStatuses,
  authorize,
  companyAccess,
  type GrantableScope,
  grantableScopes,
  type NewestRequest,
  readableScopes,
  scopes,
} from '#core';
import { coverageOf } from '../../../../core/model/consent/access-policy.ts';
import { arrTerms, liveKey, newestRequest } from '../../builders.ts';
import { later, start } from '../../world.ts';

const allowedFacts: AccessFacts = {
  key: liveKey(),
  isInPortfolio: true,
  newestRequest: newestRequest({ id: 'ar_7' }),
};

const said = (decision: Authorization) => (decision.allowed ? decision.grant.id : decision.code);

describe('a read', () => {
  const inState = (status: (typeof accessRequestStatuses)[number]) => newestRequest({ status });
  const paused = newestRequest({ pausedAt: start });
  const somethingElse = newestRequest({ approvedScopes: ['sources:read'] });
  test.each<[string, Partial<AccessFacts>, string]>([
    ['the key doesn’t exist', { key: null }, 'invalid_api_key'],
    ['the key is revoked', { key: liveKey({ revokedAt: start }) }, 'invalid_api_key'],
    ['the key has expired', { key: liveKey({ expiresAt: start }) }, 'invalid_api_key'],
    [
      'the key lacks the scope',
      { key: liveKey({ scopes: ['sources:read'] }) },
      'insufficient_scope',
    ],
    ['the company is not in the portfolio', { isInPortfolio: false }, 'company_not_found'],
    ['the company has received no request', { newestRequest: null }, 'access_required'],
    ['the company has not decided yet', { newestRequest: inState('pending') }, 'access_pending'],
    ['the company declined', { newestRequest: inState('declined') }, 'access_required'],
    ['the grant expired', { newestRequest: inState('expired') }, 'access_required'],
    ['the grant was revoked', { newestRequest: inState('revoked') }, 'access_revoked'],
    ['the company approved only other scopes', { newestRequest: somethingElse }, 'access_required'],
    ['the company paused the grant', { newestRequest: paused }, 'access_paused'],
  ])('is refused if %s', (_reason, change, code) => {
    expect(said(authorize(allowedFacts, { scope: 'metrics:read' }, start))).toBe('ar_7');
    expect(said(authorize({ ...allowedFacts, ...change }, { scope: 'metrics:read' }, start))).toBe(
      code,
    );
  });
});

describe('the scopes that can be read now', () => {
  test.each<[string, Partial<NewestRequest>, boolean, readonly GrantableScope[]]>([
    ['are the approved scopes of a live grant', {}, true, ['metrics:read', 'sources:read']],
    ['are empty if the company isn’t in the portfolio', {}, false, []],
    ['are empty after the end of the grant', { deadlineAt: start }, true, []],
    ['are empty after a revocation', { status: 'revoked' }, true, []],
    ['are empty before a decision', { status: 'pending' }, true, []],
  ])('%s', (_title, change, isInPortfolio, expected) => {
    expect(readableScopes(newestRequest(change), isInPortfolio, start)).toEqual(expected);
  });
});

describe('the data that a grant covers now', () => {
  const limited = { approvedTerms: arrTerms() };
  test.each<[string, Partial<NewestRequest> | null, boolean, object]>([
    [
      'is that of its scopes and terms',
      limited,
      true,
      { scopes: ['metrics:read', 'sources:read'], terms: arrTerms() },
    ],
    [
      'has no limits without terms',
      {},
      true,
      { scopes: ['metrics:read', 'sources:read'], terms: null },
    ],
    ['is nothing during a pause', { ...limited, pausedAt: start }, true, { scopes: [] }],
    ['is nothing after its end', { ...limited, deadlineAt: start }, true, { scopes: [] }],
    ['is nothing outside the portfolio', limited, false, { scopes: [] }],
    ['is nothing without a request', null, true, { scopes: [], terms: null }],
  ])('%s', (_title, change, isInPortfolio, expected) => {
    const facts = { isInPortfolio, newestRequest: change && newestRequest(change) };
    expect(coverageOf(facts, start)).toMatchObject(expected);
  });
});

describe('the access to a company', () => {
  test.each([
    ['pending', 'pending'],
    ['approved', 'approved'],
    ['declined', 'none'],
    ['expired', 'none'],
    ['revoked', 'revoked'],
  ] as const)(
    'is decided by the newest access request: the status %s gives the access “%s”',
    (status, access) => {
      expect(companyAccess(newestRequest({ status }), start)).toBe(access);
    },
  );

  test('is “none” without an access request', () => {
    expect(companyAccess(null, start)).toBe('none');
  });

  test.each(['pending', 'approved'] as const)(
    'is “none” from its deadline on if the newest access request is %s',
    (status) => {
      const newest = newestRequest({ status, deadlineAt: later(1) });
      expect(companyAccess(newest, start)).toBe(status);
      expect(companyAccess(newest, later(1))).toBe('none');
    },
  );
});

function plainly(facts: AccessFacts, scope: GrantableScope, metricKey?: string): string {
  const { key, isInPortfolio, newestRequest: asked } = facts;
  const keyWorks =
    key !== null && key.revokedAt === null && (key.expiresAt === null || key.expiresAt > start);
  if (!keyWorks) return 'invalid_api_key';
  if (!key.scopes.some((held) => held === scope)) return 'insufficient_scope';
  if (!isInPortfolio) return 'company_not_found';
  if (asked === null) return 'access_required';
  if (asked.status === 'revoked') return 'access_revoked';
  const isRunning = asked.deadlineAt > start;
  if (isRunning && asked.status === 'pending') return 'access_pending';
  if (
    isRunning &&
    !asked.approvedScopes.some((granted) => granted === scope) &&
    asked.status === 'approved' &&
    asked.pendingScopes.some((wanted) => wanted === scope)
  )
    return 'access_pending';
  const isGranted = asked.status === 'approved' && asked.approvedScopes.includes(scope);
  if (!isRunning || !isGranted) return 'access_required';
  if (asked.pausedAt !== null) return 'access_paused';
  const isInTerms =
    metricKey === undefined ||
    asked.approvedTerms === null ||
    asked.approvedTerms.metricKeys === null ||
    asked.approvedTerms.metricKeys.some((allowed) => allowed === metricKey);
  return isInTerms ? asked.id : 'access_required';
}

test('authorize and a simpler version of its rule decide alike for any facts', () => {
  const nearNow = fc.integer({ min: -2, max: 2 }).map((milliseconds) => later(milliseconds));
  const accessFacts: fc.Arbitrary<AccessFacts> = fc.record({
    key: fc.option(
      fc.record({
        scopes: fc.subarray([...scopes]),
        expiresAt: fc.option(nearNow),
        revokedAt: fc.option(nearNow, { freq: 2 }),
      }),
      { freq: 9 },
    ),
    isInPortfolio: fc.boolean(),
    newestRequest: fc.option(
      fc.record({
        id: fc.constantFrom('ar_1', 'ar_2'),
        status: fc.constantFrom(...accessRequestStatuses),
        approvedScopes: fc.subarray([...grantableScopes]),
        pendingScopes: fc.subarray([...grantableScopes]),
        deadlineAt: nearNow,
        declinedAt: fc.option(nearNow),
        approvedTerms: fc.option(
          fc.constantFrom<AccessTerms>(
            { use: 'ongoing', metricKeys: ['arr'], historyFrom: null },
            { use: 'once', metricKeys: null, historyFrom: '2026-01-01' },
          ),
        ),
        pausedAt: fc.option(nearNow),
        firstReadAt: fc.constant(null),
      }),
    ),
  });
  fc.assert(
    fc.property(
      accessFacts,
      fc.constantFrom(...grantableScopes),
      fc.constantFrom(undefined, 'arr', 'cash_balance'),
      (facts, scope, metricKey) => {
        const decision = authorize(facts, { scope, metricKey }, start);
        expect(said(decision)).toBe(plainly(facts, scope, metricKey));
      },
    ),
    { numRuns: 2000 },
  );
});
