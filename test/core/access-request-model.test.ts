import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  AccessError,
  type AccessRequest,
  type AccessRequestAction,
  type GrantableScope,
  grantableScopes,
  statusAt,
  transition,
} from '#core';
import { pendingRequest } from './builders.ts';
import { later } from './world.ts';

/**
 * The life of a request once more, in plain words and without the table: the word for its state, what was granted, and
 * how many milliseconds from the beginning it ends.
 */
interface Life {
  readonly word: string;
  readonly granted: readonly string[];
  readonly ends: number;
}

type Wait = { readonly do: 'wait'; readonly milliseconds: number };
type Deed =
  | {
      readonly do: 'approve';
      readonly scopes: readonly string[] | undefined;
      readonly lasts: number;
    }
  | { readonly do: 'decline' | 'revoke' | 'expire' };

const requested: readonly GrantableScope[] = ['metrics:read', 'sources:read'];
const unansweredFor = 20;

/** What becomes of the life, or why the deed is impossible. */
function live(life: Life, deed: Deed, now: number): Life | string {
  const isOver = now >= life.ends;
  if (life.word === 'pending' && !isOver) {
    if (deed.do === 'decline') return { ...life, word: 'declined' };
    if (deed.do !== 'approve') return 'illegal_transition';
    const wished = deed.scopes ?? requested;
    if (wished.length === 0 || wished.includes('accounts:read') || deed.lasts <= 0) {
      return 'invalid_decision';
    }
    const granted = requested.filter((scope) => wished.includes(scope));
    return { word: 'approved', granted, ends: now + deed.lasts };
  }
  if (life.word === 'approved' && !isOver && deed.do === 'revoke') {
    return { ...life, word: 'revoked' };
  }
  const isLive = life.word === 'pending' || life.word === 'approved';
  if (isLive && isOver && deed.do === 'expire') return { ...life, word: 'expired' };
  return 'illegal_transition';
}

function wordNow(life: Life, now: number): string {
  const isLive = life.word === 'pending' || life.word === 'approved';
  return isLive && now >= life.ends ? 'expired' : life.word;
}

function actionOf(deed: Deed, now: number): AccessRequestAction {
  switch (deed.do) {
    case 'approve':
      return { type: 'approve', scopes: deed.scopes, expiresAt: later(now + deed.lasts) };
    case 'expire':
      return { type: 'expire' };
    default:
      return { type: deed.do, reason: null };
  }
}

const steps: fc.Arbitrary<(Wait | Deed)[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('wait' as const), milliseconds: fc.integer({ min: 0, max: 12 }) }),
    fc.record({
      do: fc.constant('approve' as const),
      scopes: fc.option(fc.array(fc.constantFrom(...grantableScopes)), { nil: undefined }),
      lasts: fc.integer({ min: -2, max: 15 }),
    }),
    fc.record({ do: fc.constantFrom('decline' as const, 'revoke' as const, 'expire' as const) }),
  ),
  { maxLength: 12 },
);

test('any sequence of actions and waits leads where the rules in plain words lead', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      let now = 0;
      let life: Life = { word: 'pending', granted: [], ends: unansweredFor };
      let request: AccessRequest = pendingRequest({
        requestedScopes: requested,
        deadlineAt: later(unansweredFor),
      });
      for (const step of sequence) {
        if (step.do === 'wait') {
          now += step.milliseconds;
          continue;
        }
        const expected = live(life, step, now);
        const attempt = () => transition(request, actionOf(step, now), later(now));
        if (typeof expected === 'string') {
          const before = structuredClone(request);
          expect(reasonOf(attempt)).toBe(expected);
          expect(request).toEqual(before);
          continue;
        }
        life = expected;
        request = attempt();
        expect(request.status).toBe(life.word);
        expect(request.approvedScopes).toEqual(life.granted);
        expect(request.deadlineAt).toEqual(later(life.ends));
        expect(request.expiresAt).toEqual(life.granted.length > 0 ? later(life.ends) : null);
      }
      expect(statusAt(request, later(now))).toBe(wordNow(life, now));
    }),
    { numRuns: 400 },
  );
});

function reasonOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof AccessError) return error.code;
    throw error;
  }
  return 'nothing was refused';
}
