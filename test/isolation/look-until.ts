import fc from 'fast-check';
import { isFull } from '../support/property-runs.ts';

const minutes = 60_000;

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
  const numRuns = isFull ? full : few;
  const mostRounds = Math.ceil((8 * full) / numRuns);
  for (let round = 0; round === 0 || (round < mostRounds && !isEnough()); round += 1) {
    await fc.assert(fc.asyncProperty(plans, holds), {
      numRuns,
      // Time to make a failure smaller, and to say what it is, before the test is cut off.
      interruptAfterTimeLimit: 2 * minutes,
      ...(endOnFailure && { endOnFailure }),
    });
  }
}
