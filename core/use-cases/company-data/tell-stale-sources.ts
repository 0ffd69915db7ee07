import type { StaleCompany } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { tellLapses } from './tell-changes.ts';

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
export const tellStaleSources =
  (ports: Ports) =>
  async ({ isStopping }: SweepOptions = {}): Promise<number> => {
    const { clock, imports } = ports;
    const now = clock.now();
    const seen = new Set<string>();
    const failures: unknown[] = [];
    let after: StaleCompany | null = null;
    let told = 0;
    do {
      const page: readonly StaleCompany[] = await imports.listUntoldStale({
        now,
        after,
        limit: companiesAtOnce,
      });
      for (const { companyId } of page) {
        if (seen.has(companyId)) continue;
        if (isStopping?.()) return told;
        seen.add(companyId);
        try {
          told += await imports.tellStale(companyId, now, tellLapses(ports));
        } catch (error) {
          failures.push(error);
        }
      }
      after = page[companiesAtOnce - 1] ?? null;
    } while (after !== null);
    if (failures.length === 0) return told;
    const message = `the sweep passed over stale sources; companies: ${failures.length}`;
    throw new Error(message, { cause: failures[0] });
  };
