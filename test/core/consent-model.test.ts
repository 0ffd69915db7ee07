import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AccessError, type GrantableScope, grantableScopes, OperatorError } from '#core';
import { createWorld, day, later, type Newcomer, type World } from './world.ts';

/** One request of the story, in plain words: what was asked, what was granted, and when (from the start) it ends. */
interface Told {
  readonly asked: readonly GrantableScope[];
  granted: readonly GrantableScope[];
  word: 'pending' | 'approved' | 'declined' | 'expired' | 'revoked';
  ends: number;
}

/** What a bystander remembers of an investor and a company. */
interface Story {
  now: number;
  isMember: boolean;
  requests: Told[];
  /** The notices that the company got. */
  notices: string[];
}

type Step =
  | { readonly do: 'wait'; readonly for: number }
  | { readonly do: 'ask'; readonly scopes: readonly GrantableScope[] }
  | { readonly do: 'approve'; readonly scopes: readonly GrantableScope[] }
  | { readonly do: 'decline' | 'revoke' | 'sweep' | 'leave' | 'join' };

const pendingDays = 3;
const grantDays = 5;

const isOpen = ({ word }: Told) => word === 'pending' || word === 'approved';
const hasRunOut = (told: Told, now: number) => isOpen(told) && now >= told.ends;

/** Tells the story on by one step, and says what whoever took it was answered. */
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
    case 'ask': {
      if (!story.isMember) return 'company_not_found';
      if (newest !== undefined && isOpen(newest) && !hasRunOut(newest, story.now)) {
        const asksForMore = step.scopes.some((scope) => !newest.asked.includes(scope));
        return asksForMore ? 'scope_conflict' : 'existing';
      }
      if (newest !== undefined && hasRunOut(newest, story.now)) bury(story, newest);
      const ends = story.now + pendingDays * day;
      story.requests.push({ asked: step.scopes, granted: [], word: 'pending', ends });
      story.notices.push('created');
      return 'created';
    }
    default: {
      if (newest === undefined) return 'not_found';
      const from = step.do === 'revoke' ? 'approved' : 'pending';
      if (newest.word !== from || hasRunOut(newest, story.now)) return 'illegal_transition';
      if (step.do === 'approve') {
        const isPart = step.scopes.every((scope) => newest.asked.includes(scope));
        if (step.scopes.length === 0 || !isPart) return 'invalid_decision';
        newest.granted = step.scopes;
        newest.ends = story.now + grantDays * day;
      }
      newest.word = ({ approve: 'approved', decline: 'declined', revoke: 'revoked' } as const)[
        step.do
      ];
      story.notices.push(newest.word);
      return 'ok';
    }
  }
}

function bury(story: Story, told: Told): void {
  told.word = 'expired';
  story.notices.push('expired');
}

/** What a reader of the metrics is told now. */
function reading({ isMember, requests, now }: Story): string {
  const newest = requests.at(-1);
  if (!isMember) return 'company_not_found';
  if (newest?.word === 'revoked') return 'access_revoked';
  if (newest === undefined || !isOpen(newest) || hasRunOut(newest, now)) return 'access_required';
  if (newest.word === 'pending') return 'access_pending';
  return newest.granted.includes('metrics:read') ? 'ok' : 'access_required';
}

/** What the list of companies says of it now. */
function access({ isMember, requests, now }: Story): string | undefined {
  const newest = requests.at(-1);
  if (!isMember) return undefined;
  if (newest === undefined || hasRunOut(newest, now)) return 'none';
  return newest.word === 'declined' || newest.word === 'expired' ? 'none' : newest.word;
}

/** Takes the step in the world, and says what whoever took it was answered. */
async function take(world: World, who: Newcomer, step: Step): Promise<string> {
  const { operator, callers } = world;
  const pair = { investorId: who.investor.id, companyId: who.companyId };
  const newest = async () => (await operator.listCompanyAccessRequests())[0]?.id ?? 'ar_none';
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
        await operator.expireAccessRequests();
        return;
      case 'ask': {
        const input = { companyId: who.companyId, scopes: [...step.scopes] };
        return (await callers.requestAccess(who.caller, input)).outcome;
      }
      case 'approve':
        await operator.approveAccessRequest(await newest(), { scopes: step.scopes });
        return;
      default:
        await operator[`${step.do}AccessRequest`](await newest());
        return;
    }
  });
}

async function answerOf(attempt: () => Promise<unknown>): Promise<string> {
  try {
    const answer = await attempt();
    return typeof answer === 'string' ? answer : 'ok';
  } catch (error) {
    if (error instanceof AccessError) return error.code;
    if (error instanceof OperatorError) return error.reason;
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
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('wait' as const),
        for: fc.constantFrom(1, day - 1, day, 3 * day, 5 * day),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom('decline', 'revoke', 'revoke', 'sweep', 'leave', 'join', 'join'),
      }) as fc.Arbitrary<Step>,
    },
  ),
  { maxLength: 20 },
);

test('any story of an investor and a company is told alike by the rules and by a bystander', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const settings = { pendingTtlDays: pendingDays, grantTtlDays: grantDays };
      const world = createWorld(() => ({ settings }));
      const who = await world.newcomer();
      const story: Story = { now: 0, isMember: true, requests: [], notices: [] };
      for (const step of sequence) {
        expect(await take(world, who, step)).toBe(tell(story, step));
        const { callers } = world;
        const read = () => callers.readLatestMetrics(who.caller, who);
        expect(await answerOf(read)).toBe(reading(story));
        expect((await callers.listPortfolio(who.caller))[0]?.access).toBe(access(story));
      }
      expect((await world.eventTypes()).sort()).toEqual(story.notices.sort());
      const mine = await world.callers.listAccessRequests(who.caller, {});
      expect(mine.map(({ status }) => status)).toEqual(
        story.requests
          .map((told) => (hasRunOut(told, story.now) ? 'expired' : told.word))
          .reverse(),
      );
      expect(world.clock.now()).toEqual(later(story.now));
    }),
    { numRuns: 150 },
  );
});
