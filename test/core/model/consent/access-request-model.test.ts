import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  AccessError,
  type AccessRequest,
  type AccessRequestAction,
  answerBy,
  asOf,
  findEndedAt,
  type GrantableScope,
  grantableScopes,
  statusAt,
  transition,
} from '#core';
import { pendingRequest } from '../../builders.ts';
import { day, later } from '../../world.ts';

/**
 * A simple model of a request, without the table of transitions: its state, its scopes (requested, granted, added), its
 * end and its notice in days from the start.
 */
interface Life {
  readonly word: string;
  readonly asked: readonly string[];
  readonly granted: readonly string[];
  readonly wished: readonly string[];
  readonly ends: number;
  readonly notice: number | null;
  /** The day when the request was declined, revoked or withdrawn. */
  readonly closed?: number;
}

type Wait = { readonly do: 'wait'; readonly days: number };
type Deed =
  | {
      readonly do: 'approve';
      readonly scopes: readonly string[] | undefined;
      readonly lasts: number;
    }
  | { readonly do: 'extend'; readonly lasts: number }
  | { readonly do: 'amend'; readonly scopes: readonly GrantableScope[] }
  | { readonly do: 'decline' | 'revoke' | 'withdraw' | 'expire' | 'remind' };

const requested: readonly GrantableScope[] = ['metrics:read'];
const unansweredFor = 20;
const notice = 7;

const isLive = ({ word }: Life) => word === 'pending' || word === 'approved';
const over = (life: Life, word: string): Life => ({ ...life, word, wished: [], notice: null });

/** Applies an action to the model, or returns the code of the refusal. */
function live(life: Life, deed: Deed, now: number): Life | string {
  const hasEnded = isLive(life) && now >= life.ends;
  if (deed.do === 'expire') return hasEnded ? over(life, 'expired') : 'illegal_transition';
  if (!isLive(life) || hasEnded) return 'illegal_transition';
  const isGrant = life.word === 'approved';
  const undecided = isGrant ? life.wished : life.asked;
  switch (deed.do) {
    case 'approve':
      return undecided.length === 0 ? 'illegal_transition' : approve(life, undecided, deed, now);
    case 'decline':
      if (undecided.length === 0) return 'illegal_transition';
      return isGrant ? { ...life, wished: [] } : { ...over(life, 'declined'), closed: now };
    case 'revoke':
      return isGrant ? { ...over(life, 'revoked'), closed: now } : 'illegal_transition';
    case 'extend': {
      if (!isGrant) return 'illegal_transition';
      const ends = now + deed.lasts;
      return ends > life.ends ? { ...life, ...until(ends, now) } : 'invalid_decision';
    }
    case 'amend': {
      const more = (known: readonly string[]) => [...new Set([...known, ...deed.scopes])];
      if (!isGrant) return { ...life, asked: more(life.asked) };
      const wished = more(life.wished).filter((scope) => !life.granted.includes(scope));
      return { ...life, wished };
    }
    case 'withdraw':
      return { ...over(life, 'expired'), closed: now };
    default:
      return life.notice !== null && now >= life.notice
        ? { ...life, notice: null }
        : 'illegal_transition';
  }
}

function approve(
  life: Life,
  undecided: readonly string[],
  { scopes = undecided, lasts }: Extract<Deed, { do: 'approve' }>,
  now: number,
): Life | string {
  const all = [...new Set([...life.asked, ...life.wished])];
  const isFor = scopes.some((scope) => undecided.includes(scope));
  if (!scopes.every((scope) => all.includes(scope)) || !isFor || lasts <= 0) {
    return 'invalid_decision';
  }
  const granted = all.filter((scope) => scopes.includes(scope) || life.granted.includes(scope));
  const asked = all.filter((scope) => life.asked.includes(scope) || granted.includes(scope));
  const isSameEnd = life.word === 'approved' && now + lasts === life.ends;
  const end = isSameEnd ? { ends: life.ends, notice: life.notice } : until(now + lasts, now);
  return { word: 'approved', asked, granted, wished: [], ...end };
}

const until = (ends: number, now: number) => ({
  ends,
  notice: ends - notice > now ? ends - notice : null,
});

const at = (days: number) => later(days * day);

function actionOf(deed: Deed, now: number): AccessRequestAction {
  switch (deed.do) {
    case 'approve':
      return { type: 'approve', scopes: deed.scopes, expiresAt: at(now + deed.lasts) };
    case 'extend':
      return { type: 'extend', expiresAt: at(now + deed.lasts) };
    case 'amend':
      return { type: 'amend', scopes: deed.scopes, purpose: null };
    case 'decline':
    case 'revoke':
      return { type: deed.do, reason: null };
    default:
      return { type: deed.do };
  }
}

const someScopes = fc.array(fc.constantFrom(...grantableScopes));
const steps: fc.Arbitrary<(Wait | Deed)[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 0, max: 12 }) }),
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('approve' as const),
        scopes: fc.option(someScopes, { nil: undefined }),
        lasts: fc.integer({ min: -2, max: 25 }),
      }),
    },
    fc.record({ do: fc.constant('extend' as const), lasts: fc.integer({ min: -2, max: 40 }) }),
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('amend' as const), scopes: someScopes }),
    },
    fc.record({
      do: fc.constantFrom('decline', 'revoke', 'withdraw', 'expire', 'remind') as fc.Arbitrary<
        Extract<Deed, { do: 'decline' }>['do']
      >,
    }),
  ),
  { maxLength: 14 },
);

test('any sequence of actions and waits leads to the same request as in the simple model', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      let now = 0;
      let life: Life = {
        word: 'pending',
        asked: requested,
        granted: [],
        wished: [],
        ends: unansweredFor,
        notice: null,
      };
      let request: AccessRequest = pendingRequest({
        requestedScopes: requested,
        deadlineAt: at(unansweredFor),
      });
      for (const step of sequence) {
        if (step.do === 'wait') {
          now += step.days;
          continue;
        }
        const expected = live(life, step, now);
        const attempt = () => transition(request, actionOf(step, now), at(now));
        if (typeof expected === 'string') {
          const before = structuredClone(request);
          expect(reasonOf(attempt)).toBe(expected);
          expect(request).toEqual(before);
          continue;
        }
        life = expected;
        request = attempt();
        expect(request.status).toBe(life.word);
        expect(request.requestedScopes).toEqual(life.asked);
        expect(request.approvedScopes).toEqual(life.granted);
        expect(request.pendingScopes).toEqual(life.wished);
        const isWithdrawn = life.word === 'expired' && life.closed !== undefined;
        expect(request.deadlineAt).toEqual(at(isWithdrawn ? (life.closed ?? 0) : life.ends));
        expect(request.expiresAt).toEqual(life.granted.length > 0 ? at(life.ends) : null);
        expect(request.expiringAt).toEqual(life.notice === null ? null : at(life.notice));
      }
      expect(statusAt(request, at(now))).toBe(
        isLive(life) && now >= life.ends ? 'expired' : life.word,
      );
      const present = asOf(request, at(now));
      const isOpen = isLive(life) && now < life.ends;
      expect(findEndedAt(present)).toEqual(isOpen ? null : at(life.closed ?? life.ends));
      const waits = isOpen && life.word === 'pending';
      expect(answerBy(present)).toEqual(waits ? at(life.ends) : null);
    }),
    { numRuns: 1500 },
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
