/** A turn counts as a gain if its cost is below this part of the lowest cost so far. */
const gain = 0.97;

/** One turn without a gain may be chance. */
const steadyTurns = 2;

/**
 * Runs all works in turns until none gets cheaper.
 *
 * @param works each returns the processor time of a request, or NaN if it is unknown
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
