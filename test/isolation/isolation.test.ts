import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull, propertyRuns } from '../support/property-runs.ts';
import { brokenPolicies } from './breakages.ts';
import { findFault } from './find-fault.ts';
import { type Harness, openHarness } from './harness.ts';
import { lookUntil, timeLimit } from './look-until.ts';
import { everyPerson, plansWithPeople } from './people.ts';
import { plans, plansWithSuspensions } from './plan.ts';
import { throughAndThrough } from './property.ts';
import { createTally } from './tally.ts';

const ofInvestors = [
  'told',
  'invalid_api_key',
  'insufficient_scope',
  'company_not_found',
  'access_required',
  'access_pending',
  'access_revoked',
  'access_paused',
] as const;
const expectedAnswers = {
  REST: ofInvestors,
  GraphQL: ofInvestors,
  tRPC: ofInvestors,
  MCP: ofInvestors,
  'REST for companies': ['told', 'invalid_api_key', 'access_request_not_found'],
} as const;

/** Rare answers occur only in hundreds of worlds, so only a full run requires them. */
const expectedHere: Partial<typeof expectedAnswers> = isFull ? expectedAnswers : {};

const hasEveryAnswer = (tally: ReturnType<typeof createTally>) =>
  Object.entries(expectedHere).every(([protocol, answers]) => {
    const seen: readonly string[] = tally.answers(protocol);
    return answers.every((answer) => seen.includes(answer));
  });

describe('the service', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness({ memory: true });
  });
  afterAll(() => harness?.close());

  it('returns exactly what the policy allows to every key in every protocol, in more than 5,000 reads', {
    timeout: timeLimit,
  }, async () => {
    const tally = createTally();
    await lookUntil(
      () => tally.count() > propertyRuns(5000) && hasEveryAnswer(tally),
      plansWithSuspensions({ minSteps: 20, maxSteps: 40 }),
      (plan) => throughAndThrough(harness, plan, tally),
      { full: 48, few: 2 },
    );
    for (const [protocol, answers] of Object.entries(expectedHere)) {
      expect(tally.answers(protocol)).toEqual(expect.arrayContaining([...answers]));
    }
    expect(tally.count()).toBeGreaterThan(propertyRuns(5000));
  });

  it('returns exactly what the policy allows to contacts of investors, until they are removed or their session ends', {
    timeout: timeLimit,
  }, async () => {
    const tally = createTally();
    const answers = ofInvestors.filter((answer) => answer !== 'insufficient_scope');
    const seen = () => tally.answers('the people of investors');
    await lookUntil(
      () =>
        tally.count() > propertyRuns(2000) && answers.every((answer) => seen().includes(answer)),
      plansWithPeople({ minSteps: 15, maxSteps: 30 }),
      (plan) => everyPerson(harness, plan, tally),
      { full: 24, few: 6 },
    );
    expect(seen()).toEqual(expect.arrayContaining(answers));
    expect(tally.count()).toBeGreaterThan(propertyRuns(2000));
  });
});

it('the tests catch a policy that treats a request as a grant', {
  timeout: timeLimit,
}, async () => {
  const broken = brokenPolicies['treats a pending request as a grant'] ?? expect.fail();
  const isolation = { plans: plans({ minSteps: 15, maxSteps: 30 }), holds: throughAndThrough };
  expect(await findFault(isolation, broken, 30, broken.world)).toMatch(broken.explanation);
});
