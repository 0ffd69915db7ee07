/** Of the least processor time so far: what is not below it is as cheap as it becomes. */
const steady = 0.97;

interface Turns {
  readonly least: number;
  readonly most: number;
}

/** One turn without a gain may be chance. */
const steadyTurns = 2;

/**
 * Has all of them work in turns until for some turns none has become cheaper. How long that takes depends on the
 * machine, and on how much of its code a program runs for a request.
 *
 * @param works each answers what a request cost in processor time; not a number where that cannot be told
 * @returns how many turns it took
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
