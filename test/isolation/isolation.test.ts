import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { plans } from './plan.ts';
import { eachStepAtOnce, everythingInTheEnd } from './property.ts';
import { openStage, type Stage } from './stage.ts';
import { createTally } from './tally.ts';

const minutes = 60_000;

/** Time to make a failure smaller, and to say what it is, before the test is cut off. */
const patience = { interruptAfterTimeLimit: 2 * minutes };

const ofInvestors = [
  'told',
  'invalid_api_key',
  'insufficient_scope',
  'company_not_found',
  'access_required',
  'access_pending',
  'access_revoked',
] as const;
const expectedAnswers = {
  REST: ofInvestors,
  GraphQL: ofInvestors,
  tRPC: ofInvestors,
  MCP: ofInvestors,
  'REST for companies': ['told', 'invalid_api_key', 'access_request_not_found'],
} as const;

const hasEveryAnswer = (tally: ReturnType<typeof createTally>) =>
  Object.entries(expectedAnswers).every(([protocol, answers]) => {
    const seen: readonly string[] = tally.answers(protocol);
    return answers.every((answer) => seen.includes(answer));
  });

describe('what is returned is exactly what the policy in plain words allows', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage({ memory: true });
  });
  afterAll(() => stage?.close());

  it('for every key, every readable thing and every protocol: more than 5,000 of them', {
    timeout: 3 * minutes,
  }, async () => {
    const tally = createTally();
    // A world in which nothing was allowed, or nothing forbidden, would prove little: rare answers take more worlds.
    for (let round = 0; round < 8 && (round === 0 || !hasEveryAnswer(tally)); round += 1) {
      await fc.assert(
        fc.asyncProperty(plans({ minSteps: 20, maxSteps: 40 }), (plan) =>
          everythingInTheEnd(stage, plan, tally),
        ),
        { numRuns: propertyRuns(36), ...patience },
      );
    }
    for (const [protocol, answers] of Object.entries(expectedAnswers)) {
      expect(tally.answers(protocol)).toEqual(expect.arrayContaining([...answers]));
    }
    expect(tally.count()).toBeGreaterThan(5000);
  });

  it('at once after each thing that happens: a request, an answer, the end of a grant or a key, a new portfolio, new data', {
    timeout: 3 * minutes,
  }, async () => {
    const tally = createTally();
    await fc.assert(
      fc.asyncProperty(plans({ minSteps: 15, maxSteps: 25 }), (plan) =>
        eachStepAtOnce(stage, plan, tally),
      ),
      { numRuns: propertyRuns(12), ...patience },
    );
    expect(tally.count()).toBeGreaterThan(2000);
  });
});
