import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerBy, findEndedAt, type GrantableScope, grantableScopes, Refusal } from '#core';
import { createWorld, day, later, type Newcomer, type World } from '../../world.ts';

/** An access request in the simple model, with its state and its end in milliseconds from the start. */
interface Told {
  asked: readonly GrantableScope[];
  wished: readonly GrantableScope[];
  granted: readonly GrantableScope[];
  word: 'pending' | 'approved' | 'declined' | 'expired' | 'revoked';
  ends: number;
  /** The time of the notice before the grant ends. Null if it was sent, or if the grant is too short. */
  notice: number | null;
  /** The time when the access request was declined, revoked or withdrawn. */
  closed?: number;
}

/** The state of the simple model for one investor and one company. */
interface Story {
  now: number;
  isMember: boolean;
  requests: Told[];
  /** The types of the events that the company received. */
  notices: string[];
}

type Step =
  | { readonly do: 'wait'; readonly for: number }
  | { readonly do: 'ask'; readonly scopes: readonly GrantableScope[] }
  | { readonly do: 'approve'; readonly scopes: readonly GrantableScope[] }
  | { readonly do: 'amend'; readonly scopes: readonly GrantableScope[] }
  | { readonly do: 'withdraw' }
  | { readonly do: 'decline' | 'revoke' }
  | { readonly do: 'extend'; readonly days: number }
  | { readonly do: 'announce' | 'sweep' | 'leave' | 'join' };

const pendingDays = 3;
const grantDays = 8;
const noticeDays = 7;

const isOpen = ({ word }: Told) => word === 'pending' || word === 'approved';
const hasRunOut = (told: Told, now: number) => isOpen(told) && now >= told.ends;

/** Applies a step to the simple model and returns the answer that the service should give. */
function tell(story: Story, step: Step): string {
  const newest = story.requests.at(-1);
  switch (step.do) {
    case 'wait':
      story.now += step.for;
      return 'ok';
    case 'leave':
      story.isMember = false;
      return 'ok';
    case 'join':
      story.isMember = true;
      return 'ok';
    case 'sweep':
      if (newest !== undefined && hasRunOut(newest, story.now)) bury(story, newest);
      return 'ok';
    case 'announce':
      if (newest !== undefined && isNoticeDue(newest, story.now)) {
        newest.notice = null;
        story.notices.push('expiring');
      }
      return 'ok';
    case 'ask': {
      if (!story.isMember) return 'company_not_found';
      if (newest !== undefined && isOpen(newest) && !hasRunOut(newest, story.now)) {
        const isGrant = newest.word === 'approved';
        const known = isGrant ? [...newest.granted, ...newest.wished] : newest.asked;
        const asksForMore = step.scopes.some((scope) => !known.includes(scope));
        const isRepeat = [...step.scopes].sort().join() === [...newest.asked].sort().join();
        return asksForMore && !isRepeat ? 'scope_conflict' : 'existing';
      }
      if (newest !== undefined && hasRunOut(newest, story.now)) bury(story, newest);
      const ends = story.now + pendingDays * day;
      const opened = { asked: step.scopes, wished: [], granted: [], ends, notice: null };
      story.requests.push({ ...opened, word: 'pending' });
      story.notices.push('created');
      return 'created';
    }
    case 'amend':
    case 'withdraw':
      return newest === undefined ? 'access_request_not_found' : change(story, newest, step);
    default:
      return newest === undefined ? 'access_request_not_found' : decide(story, newest, step);
  }
}

function change(
  story: Story,
  newest: Told,
  step: Extract<Step, { do: 'amend' | 'withdraw' }>,
): string {
  const isOver = !isOpen(newest) || hasRunOut(newest, story.now);
  if (step.do === 'withdraw') {
    if (isOver) {
      const isExpired = newest.word === 'expired' || isOpen(newest);
      return isExpired ? 'expired' : 'illegal_transition';
    }
    Object.assign(newest, { word: 'expired', wished: [], closed: story.now });
    story.notices.push('withdrawn');
    return 'expired';
  }
  if (!story.isMember) return 'company_not_found';
  if (isOver) return 'illegal_transition';
  const known = newest.word === 'pending' ? newest.asked : [...newest.granted, ...newest.wished];
  const added = step.scopes.filter((scope) => !known.includes(scope));
  if (added.length > 0) {
    if (newest.word === 'pending') newest.asked = [...newest.asked, ...added];
    else newest.wished = [...newest.wished, ...added];
    story.notices.push('amended');
  }
  return newest.word;
}

function decide(
  story: Story,
  newest: Told,
  step: Extract<Step, { do: 'approve' | 'decline' | 'revoke' | 'extend' }>,
): string {
  if (!isOpen(newest) || hasRunOut(newest, story.now)) return 'illegal_transition';
  const isGrant = newest.word === 'approved';
  const undecided = isGrant ? newest.wished : newest.asked;
  if (step.do === 'extend') {
    const ends = story.now + step.days * day;
    if (!isGrant) return 'illegal_transition';
    if (ends <= newest.ends) return 'invalid_decision';
    lastUntil(newest, ends, story.now);
    story.notices.push('extended');
    return 'ok';
  }
  if (step.do === 'revoke' ? !isGrant : undecided.length === 0) return 'illegal_transition';
  if (step.do === 'approve') {
    const all = [...new Set([...newest.asked, ...newest.wished])];
    const isPart = step.scopes.every((scope) => all.includes(scope));
    if (!isPart || !step.scopes.some((scope) => undecided.includes(scope))) {
      return 'invalid_decision';
    }
    newest.granted = [...new Set([...newest.granted, ...step.scopes])];
    newest.asked = all.filter(
      (scope) => newest.asked.includes(scope) || step.scopes.includes(scope),
    );
    if (!isGrant) lastUntil(newest, story.now + grantDays * day, story.now);
    newest.word = 'approved';
  } else if (step.do === 'revoke' || !isGrant) {
    newest.word = step.do === 'revoke' ? 'revoked' : 'declined';
    newest.closed = story.now;
  }
  newest.wished = [];
  const notices = { approve: 'approved', decline: 'declined', revoke: 'revoked' } as const;
  story.notices.push(isGrant && step.do === 'decline' ? 'amendment_declined' : notices[step.do]);
  return 'ok';
}

function lastUntil(told: Told, ends: number, now: number): void {
  const notice = ends - noticeDays * day;
  Object.assign(told, { ends, notice: notice > now ? notice : null });
}

const isNoticeDue = (told: Told, now: number) =>
  told.word === 'approved' && !hasRunOut(told, now) && told.notice !== null && now >= told.notice;

function bury(story: Story, told: Told): void {
  told.word = 'expired';
  told.wished = [];
  story.notices.push('expired');
}

/** The expected answer to a read of the metrics. */
function reading({ isMember, requests, now }: Story): string {
  const newest = requests.at(-1);
  if (!isMember) return 'company_not_found';
  if (newest?.word === 'revoked') return 'access_revoked';
  if (newest === undefined || !isOpen(newest) || hasRunOut(newest, now)) return 'access_required';
  if (newest.word === 'pending') return 'access_pending';
  if (newest.granted.includes('metrics:read')) return 'ok';
  return newest.wished.includes('metrics:read') ? 'access_pending' : 'access_required';
}

/** The access that the list of companies should show. */
function access({ isMember, requests, now }: Story): string | undefined {
  const newest = requests.at(-1);
  if (!isMember) return undefined;
  if (newest === undefined || hasRunOut(newest, now)) return 'none';
  return newest.word === 'declined' || newest.word === 'expired' ? 'none' : newest.word;
}

async function take(world: World, who: Newcomer, step: Step): Promise<string> {
  const { operator, background, callers } = world;
  const pair = { investorId: who.investor.id, companyId: who.companyId };
  const newest = async () => (await operator.listCompanyAccessRequests())[0]?.id ?? 'ar_none';
  const now = world.clock.now();
  return answerOf(async () => {
    switch (step.do) {
      case 'wait':
        world.clock.advance(step.for);
        return;
      case 'leave':
        await operator.removeFromPortfolio(pair).catch(() => undefined);
        return;
      case 'join':
        await operator.addToPortfolio(pair);
        return;
      case 'sweep':
        await background.expireAccessRequests();
        return;
      case 'announce':
        await background.announceExpiringGrants();
        return;
      case 'ask': {
        const input = { companyId: who.companyId, scopes: [...step.scopes] };
        return (await callers.requestAccess(who.caller, input)).outcome;
      }
      case 'amend': {
        const input = { id: await newest(), scopes: [...step.scopes] };
        return (await callers.amendAccessRequest(who.caller, input)).status;
      }
      case 'withdraw':
        return (await callers.withdrawAccessRequest(who.caller, { id: await newest() })).status;
      case 'revoke':
        await operator.revokeAccessRequest({ id: await newest() });
        return;
      default: {
        const { accessRequest } = await operator.showAccessRequest({ id: await newest() });
        const { id, version } = accessRequest;
        const { accessRequest: decided } = await (step.do === 'approve'
          ? operator.approveAccessRequest({ id, scopes: step.scopes, version })
          : step.do === 'extend'
            ? operator.extendAccessRequest({ id, expiresAt: later(step.days * day, now), version })
            : operator.declineAccessRequest({ id, version }));
        // The service returns the request unchanged if a decision is repeated. The simple model has no such case.
        return decided.version === version ? 'stands' : undefined;
      }
    }
  });
}

async function answerOf(attempt: () => Promise<unknown>): Promise<string> {
  try {
    const answer = await attempt();
    return typeof answer === 'string' ? answer : 'ok';
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

const asked = fc.subarray([...grantableScopes], { minLength: 1 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('ask' as const), scopes: asked }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('approve' as const),
        scopes: fc.subarray([...grantableScopes]),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('amend' as const), scopes: asked }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('wait' as const),
        for: fc.constantFrom(1, day - 1, day, 3 * day, 8 * day),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('extend' as const),
        days: fc.integer({ min: 1, max: 16 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'decline',
          'revoke',
          'revoke',
          'withdraw',
          'announce',
          'announce',
          'sweep',
          'leave',
          'join',
          'join',
        ),
      }) as fc.Arbitrary<Step>,
    },
  ),
  { maxLength: 20 },
);

/** Returns the request's status, its answer deadline and the time of its end. */
function outcomeOf(told: Told, now: number) {
  const isOver = !isOpen(told) || hasRunOut(told, now);
  const word = hasRunOut(told, now) ? 'expired' : told.word;
  const answerUntil = word === 'pending' ? later(told.ends) : null;
  return [word, answerUntil, isOver ? later(told.closed ?? told.ends) : null];
}

test('the service and a simple model agree on any sequence of steps', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const days = { pendingTtlDays: pendingDays, grantTtlDays: grantDays };
      const world = createWorld(({ settings }) => ({ settings: { ...settings, ...days } }));
      const who = await world.newcomer();
      const story: Story = { now: 0, isMember: true, requests: [], notices: [] };
      for (const step of sequence) {
        const answer = await take(world, who, step);
        const told = tell(story, step);
        if (answer === 'stands') expect(['illegal_transition', 'invalid_decision']).toContain(told);
        else expect(answer).toBe(told);
        const { callers } = world;
        const read = () => callers.readLatestMetrics(who.caller, who);
        expect(await answerOf(read)).toBe(reading(story));
        expect((await callers.listPortfolio(who.caller))[0]?.access).toBe(access(story));
      }
      expect((await world.eventTypes()).sort()).toEqual(story.notices.sort());
      const { items: mine } = await world.callers.listAccessRequests(who.caller, { limit: 200 });
      expect(mine.map((one) => [one.status, answerBy(one), findEndedAt(one)])).toEqual(
        story.requests.map((told) => outcomeOf(told, story.now)).reverse(),
      );
      expect(world.clock.now()).toEqual(later(story.now));
    }),
    { numRuns: 150 },
  );
});
