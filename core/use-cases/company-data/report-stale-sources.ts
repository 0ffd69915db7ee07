import type { StaleCompany } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { staleEventsWith } from './change-events.ts';

const companiesAtOnce = 200;

interface SweepOptions {
  /** Called before each company. */
  readonly isStopping?: () => boolean;
}

/**
 * Writes the events of sources that became stale, once per source until it recovers. Any number of processes may run
 * it.
 *
 * @returns the number of sources
 * @throws Error at the end if some companies failed
 */
export const reportStaleSources =
  (ports: Ports) =>
  async ({ isStopping }: SweepOptions = {}): Promise<number> => {
    const { clock, imports } = ports;
    const now = clock.now();
    const seen = new Set<string>();
    const failures: unknown[] = [];
    let after: StaleCompany | null = null;
    let reported = 0;
    do {
      const page: readonly StaleCompany[] = await imports.listUnreportedStale({
        now,
        after,
        limit: companiesAtOnce,
      });
      for (const { companyId } of page) {
        if (seen.has(companyId)) continue;
        if (isStopping?.()) return reported;
        seen.add(companyId);
        try {
          reported += await imports.writeStaleEvents(companyId, now, staleEventsWith(ports));
        } catch (error) {
          failures.push(error);
        }
      }
      after = page[companiesAtOnce - 1] ?? null;
    } while (after !== null);
    if (failures.length === 0) return reported;
    const message = `the sweep passed over stale sources; companies: ${failures.length}`;
    throw new Error(message, { cause: failures[0] });
  };
