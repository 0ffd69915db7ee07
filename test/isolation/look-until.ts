import fc from 'fast-check';
import { isFull } from '../support/property-runs.ts';

const minutes = 60_000;

/** ISOLATION_WORLDS: so many worlds for each property, however long that takes. */
const worlds = process.env.ISOLATION_WORLDS;

/** How long a property may take. */
export const timeLimit = worlds === undefined ? 10 * minutes : 24 * 60 * minutes;

/** How many worlds there are at a time: few in the default run, which goes on until it has seen enough. */
interface Worlds {
  readonly full: number;
  readonly few: number;
  /** Whether a failure is told as it came, because to make it smaller takes too long. */
  readonly endOnFailure?: true;
}

/**
 * Puts up so many worlds that the property holds in, and as many again until enough was seen in them: one in which
 * nothing was allowed, or nothing forbidden, would prove little, and rare answers take more worlds.
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
      // An interrupted world goes on, and would set the clock of the next test.
      await last.catch(() => {});
    }
  }
}
