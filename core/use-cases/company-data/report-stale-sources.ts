import type { UnhealthySources } from '../../model/company-data/source.ts';
import { createStaleEvents } from '../../model/events/data-event.ts';
import type { CreateStaleEvents, StaleCompany } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import type { SweepOptions } from '../consent/deadlines.ts';

const companiesAtOnce = 200;

/**
 * Writes an event for each source that became stale. A source gets only one event until it recovers. Several processes
 * may run this at the same time.
 *
 * @returns the number of sources in the events
 * @throws Error at the end if some companies failed
 */
export const reportStaleSources =
  (ports: Ports) =>
  async ({ isStopping }: SweepOptions = {}): Promise<number> => {
    const { clock, ids, imports } = ports;
    const now = clock.now();
    const createEvents: CreateStaleEvents = (stale) =>
      createStaleEvents(stale, () => ids.next('evt'), clock.now());
    const handledCompanyIds = new Set<string>();
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
        if (handledCompanyIds.has(companyId)) continue;
        if (isStopping?.()) return reported;
        handledCompanyIds.add(companyId);
        try {
          reported += await imports.writeStaleEvents(companyId, now, createEvents);
        } catch (error) {
          failures.push(error);
        }
      }
      after = page[companiesAtOnce - 1] ?? null;
    } while (after !== null);
    if (failures.length === 0) return reported;
    const message = `the sweep skipped stale sources; companies: ${failures.length}`;
    throw new Error(message, { cause: failures[0] });
  };

export const countUnhealthySources =
  ({ companyData, clock }: Ports) =>
  (): Promise<UnhealthySources> =>
    companyData.countUnhealthySources(clock.now());
