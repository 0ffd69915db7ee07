import fc from 'fast-check';
import { type Breakage, type Harness, openHarness } from './harness.ts';
import { createTally, type Tally } from './tally.ts';

/** Always the same worlds, so that what is caught today is caught tomorrow. */
const worlds = { seed: 1, endOnFailure: true };

/** A policy with one hole in it, and how the property must explain what it saw. */
export interface BrokenPolicy extends Breakage {
  readonly explanation: RegExp;
  /** The first of the worlds in which it shows, if not the very first; the worlds before it take time and show nothing. */
  readonly world?: number;
}

export interface Isolation<Plan> {
  readonly plans: fc.Arbitrary<Plan>;
  readonly holds: (harness: Harness, plan: Plan, tally: Tally) => Promise<void>;
}

/** What is wrong with the policy, in the property’s own words; null when nothing is found. */
export async function findFault<Plan>(
  { plans, holds }: Isolation<Plan>,
  broken: Breakage,
  numRuns: number,
  world = 0,
): Promise<string | null> {
  const harness = await openHarness({ memory: true }, broken);
  try {
    const property = fc.asyncProperty(plans, (plan) => holds(harness, plan, createTally()));
    const path = String(world);
    const { failed, errorInstance } = await fc.check(property, { ...worlds, path, numRuns });
    return failed ? String((errorInstance as Error).message) : null;
  } finally {
    await harness.close();
  }
}
