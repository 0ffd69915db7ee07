/** A turn counts as a gain if its cost is below the lowest cost so far, multiplied by this factor. */
const gain = 0.97;

/** The warm-up ends after this number of turns without a gain. A single such turn may be chance. */
const steadyTurns = 2;

/**
 * Runs all works, one after the other, until none of them gets cheaper. A turn runs each work once.
 *
 * @param works each function runs one work and returns its processor time per request, or NaN if the time isn't known
 * @returns the number of turns
 */
export async function warmUp(
  works: readonly (() => Promise<number>)[],
  { least, most }: { readonly least: number; readonly most: number },
): Promise<number> {
  const costs = works.map(() => Number.POSITIVE_INFINITY);
  for (let turns = 1, steadyFor = 0; ; turns += 1) {
    steadyFor += 1;
    for (const [i, work] of works.entries()) {
      const cost = await work();
      if (cost < (costs[i] ?? 0) * gain) steadyFor = 0;
      costs[i] = Math.min(costs[i] ?? 0, cost);
    }
    if ((steadyFor >= steadyTurns && turns >= least) || turns >= most) return turns;
  }
}
