import fc from 'fast-check';
import { isFull } from '../support/property-runs.ts';

const minutes = 60_000;

const worlds = process.env.ISOLATION_WORLDS;

export const timeLimit = worlds === undefined ? 10 * minutes : 24 * 60 * minutes;

/** The default run uses `few` worlds per round, and adds rounds until it has seen enough answers. */
interface Worlds {
  readonly full: number;
  readonly few: number;
  /** Shrinking a plan takes too long, so a failure is reported without it. */
  readonly endOnFailure?: true;
}

/**
 * Checks the property in rounds of worlds until `isEnough` returns true. One round may prove
 * little: if nothing is allowed or nothing is refused in it, or because rare answers need more
 * worlds.
 */
export async function lookUntil<Plan>(
  isEnough: () => boolean,
  plans: fc.Arbitrary<Plan>,
  holds: (plan: Plan) => Promise<void>,
  { full, few, endOnFailure }: Worlds,
): Promise<void> {
  const numRuns = worlds === undefined ? (isFull ? full : few) : Number(worlds);
  const mostRounds = worlds === undefined ? Math.ceil((8 * full) / numRuns) : 1;
  for (let round = 0; round === 0 || (round < mostRounds && !isEnough()); round += 1) {
    let last = Promise.resolve();
    const property = fc.asyncProperty(plans, (plan) => {
      last = holds(plan);
      return last;
    });
    try {
      await fc.assert(property, {
        numRuns,
        // Leaves enough time to shrink and report a failure before the test's time limit.
        ...(worlds === undefined && { interruptAfterTimeLimit: 2 * minutes }),
        ...(endOnFailure && { endOnFailure }),
      });
    } finally {
      // An interrupted world continues to run, and would change the next test's clock.
      await last.catch(() => {});
    }
  }
}
