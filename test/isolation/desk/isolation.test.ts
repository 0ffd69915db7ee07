import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../support/property-runs.ts';
import { openStage, type Stage } from '../stage.ts';
import { createTally } from '../tally.ts';
import { deskPlans } from './plan.ts';
import { everySession } from './property.ts';

const minutes = 60_000;

describe('a contact who is signed in', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage({ memory: true });
  });
  afterAll(() => stage?.close());

  it('sees on every page what the policy in plain words shows to the chosen company, and nothing of another, in more than 2,000 cases', {
    timeout: 3 * minutes,
  }, async () => {
    const tally = createTally();
    await fc.assert(
      fc.asyncProperty(deskPlans({ minSteps: 15, maxSteps: 25 }), (plan) =>
        everySession(stage, plan, tally),
      ),
      { numRuns: propertyRuns(32), interruptAfterTimeLimit: 2 * minutes, endOnFailure: true },
    );
    expect(tally.count()).toBeGreaterThan(2000);
    // A world in which nothing was shown, or nobody turned away, would prove little.
    expect(tally.answers('the desk')).toEqual(
      expect.arrayContaining([
        'told',
        'status 404',
        'to /desk/sign-in?because=ended',
        'to /desk/companies',
      ]),
    );
  });
});
