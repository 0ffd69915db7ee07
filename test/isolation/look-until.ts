import fc from 'fast-check';
import { isFull } from '../support/property-runs.ts';

const minutes = 60_000;

/** The environment variable sets the number of worlds per property, without a time limit. */
const worlds = process.env.ISOLATION_WORLDS;

/** How long a property may take. */
export const timeLimit = worlds === undefined ? 10 * minutes : 24 * 60 * minutes;

/** The number of worlds per round. The default run uses few, and repeats until it has seen enough. */
interface Worlds {
  readonly full: number;
  readonly few: number;
  /** Reports a failure without shrinking it, because shrinking takes too long. */
  readonly endOnFailure?: true;
}

/**
 * Checks the property in a number of worlds, and in more rounds until `isEnough` returns true. A round in which nothing
 * is allowed, or nothing is refused, proves little. Rare answers need more worlds.
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
        // Leaves time to shrink and report a failure before the test is cut off.
        ...(worlds === undefined && { interruptAfterTimeLimit: 2 * minutes }),
        ...(endOnFailure && { endOnFailure }),
      });
    } finally {
      // An interrupted world keeps running, and would change the clock of the next test.
      await last.catch(() => {});
    }
  }
}
