import { AccessError } from '#core';
import { fileLimit, limits } from './limits/index.ts';

/**
 * Runs work on a long file when it is the owner's turn. Load rows only inside `work`, so that waiting work keeps no
 * rows in memory.
 *
 * @throws AccessError `service_unavailable` if too many files of the owner wait, and the errors of `work`
 */
export async function withFileTurn<Made>(owner: string, work: () => Promise<Made>): Promise<Made> {
  const { waitingPerCaller } = limits.longWork;
  if (fileLimit.countWaiting(owner) >= waitingPerCaller) {
    const message = `${waitingPerCaller} files already wait for their turn.`;
    throw new AccessError('service_unavailable', { message });
  }
  return fileLimit.run(owner, work);
}
