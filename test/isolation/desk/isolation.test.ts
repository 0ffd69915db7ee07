import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, openHarness } from '../harness.ts';
import { lookUntil } from '../look-until.ts';
import { createTally } from '../tally.ts';
import { deskPlans } from './plan.ts';
import { everySession } from './property.ts';

const minutes = 60_000;

const answers = ['told', 'status 404', 'to /desk/sign-in?because=ended', 'to /desk/companies'];

describe('a contact who is signed in', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await openHarness({ memory: true });
  });
  afterAll(() => harness?.close());

  it('sees on every page exactly what the policy shows to the chosen company, in more than 2,000 cases', {
    timeout: 10 * minutes,
  }, async () => {
    const tally = createTally();
    const seen = () => tally.answers('the desk');
    await lookUntil(
      () => tally.count() > 2000 && answers.every((answer) => seen().includes(answer)),
      deskPlans({ minSteps: 15, maxSteps: 25 }),
      (plan) => everySession(harness, plan, tally),
      { full: 32, few: 2, endOnFailure: true },
    );
    expect(tally.count()).toBeGreaterThan(2000);
    expect(seen()).toEqual(expect.arrayContaining(answers));
  });
});
