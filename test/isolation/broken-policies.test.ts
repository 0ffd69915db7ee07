import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { brokenPolicies } from './breakages.ts';
import { companyBreakages } from './company-breakages.ts';
import { plans } from './plan.ts';
import { throughAndThrough } from './property.ts';
import { type Breakage, openStage, type Stage } from './stage.ts';
import { createTally } from './tally.ts';

const minutes = 60_000;

/** Always the same worlds, so that what is caught today is caught tomorrow. */
const worlds = { seed: 1, endOnFailure: true };

describe('the property that shows isolation', () => {
  let stage: Stage | undefined;

  afterEach(() => stage?.close());

  /** What is wrong with the policy, in the property’s own words; null when nothing is found. */
  async function findFault(broken: Breakage, numRuns: number, world = 0): Promise<string | null> {
    const opened = await openStage({ memory: true }, broken);
    stage = opened;
    const property = fc.asyncProperty(plans({ minSteps: 15, maxSteps: 30 }), (plan) =>
      throughAndThrough(opened, plan, createTally()),
    );
    const path = String(world);
    const { failed, errorInstance } = await fc.check(property, { ...worlds, path, numRuns });
    return failed ? String((errorInstance as Error).message) : null;
  }

  it('finds nothing wrong with the policy itself in the same worlds', {
    timeout: 3 * minutes,
  }, async () => {
    expect(await findFault({}, 3)).toBeNull();
  });

  it.for(Object.entries({ ...brokenPolicies, ...companyBreakages }))(
    'catches a policy that %s',
    { timeout: 3 * minutes },
    async ([, { explanation, world, ...broken }], { annotate }) => {
      const fault = await findFault(broken, 30, world);
      expect(fault).toMatch(explanation);
      await annotate(String(fault).slice(0, 500));
    },
  );
});
