import fc from 'fast-check';
import { type Breakage, type Harness, openHarness } from './harness.ts';
import { createTally, type Tally } from './tally.ts';

/** Every run checks the same worlds, so a fault is found in every run. */
const worlds = { seed: 1, endOnFailure: true };

/** The property must report the fault with this message. */
export interface BrokenPolicy extends Breakage {
  readonly explanation: RegExp;
  /** The number of the first world that shows the fault. Skips the earlier ones to save time. */
  readonly world?: number;
}

export interface Isolation<Plan> {
  readonly plans: fc.Arbitrary<Plan>;
  readonly holds: (harness: Harness, plan: Plan, tally: Tally) => Promise<void>;
}

/** Returns the fault that the property reports, or null if it finds none. */
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
