/** The part of the minimum processor time so far below which a cost counts as a gain. */
const steady = 0.97;

interface Turns {
  readonly least: number;
  readonly most: number;
}

/** One turn without a gain may be chance. */
const steadyTurns = 2;

/**
 * Runs all works in turns until none has become cheaper for some turns. The duration depends on the machine, and on the
 * amount of code that a program runs for a request.
 *
 * @param works each returns the processor time of a request, or not a number if it is unknown
 * @returns the number of turns
 */
export async function warmUp(
  works: readonly (() => Promise<number>)[],
  { least, most }: Turns,
): Promise<number> {
  const costs = works.map(() => Number.POSITIVE_INFINITY);
  for (let turns = 1, steadyFor = 0; ; turns += 1) {
    steadyFor += 1;
    for (const [i, work] of works.entries()) {
      const cost = await work();
      if (cost < (costs[i] ?? 0) * steady) steadyFor = 0;
      costs[i] = Math.min(costs[i] ?? 0, cost);
    }
    if ((steadyFor >= steadyTurns && turns >= least) || turns >= most) return turns;
  }
}
