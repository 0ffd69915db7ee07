import { AccessError } from '#core';
import { KeyedSemaphore } from '#http';

/** Of one investor one at a time: the others wait for one of each, however many somebody asks for. */
const turns = new KeyedSemaphore(1);

/** Files of one investor that wait. */
const maxWaiting = 20;

/**
 * Makes a file that may hold years of daily values when it is its investor's turn; nobody who waits should hold rows.
 *
 * @throws AccessError `service_unavailable` when too many wait, and what `make` throws
 */
export async function makeFile<File>(investorId: string, make: () => Promise<File>): Promise<File> {
  if (turns.waiting(investorId) >= maxWaiting) throw new AccessError('service_unavailable');
  return turns.within(investorId, make);
}
