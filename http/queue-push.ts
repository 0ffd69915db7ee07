import { setTimeout as wait } from 'node:timers/promises';
import { AccessError, DataLocked } from '#core';
import { limits, pushLimit } from './limits/index.ts';

/** If the data is locked, a push tries again after this pause. Each further pause is twice as long. */
const firstPauseMilliseconds = 50;

/** The longest time that a company's pushes wait for locked data before they are refused. */
const maxLockedMilliseconds = 1_500;

/** The unfinished pushes of one company. They share one time limit, so they are refused together. */
interface Pending {
  count: number;
  lockedSince: number | null;
}

const pendingOf = new Map<string, Pending>();

/**
 * Runs a push when it is the company's turn. The number of running pushes is limited, because each uses a database
 * connection that reads need.
 *
 * @throws AccessError `service_unavailable` if too many pushes wait, and DataLocked if the data stays locked
 */
export async function queuePush<T>(companyId: string, push: () => Promise<T>): Promise<T> {
  const pending = begin(companyId);
  try {
    for (let pause = firstPauseMilliseconds; ; pause *= 2) {
      try {
        const pushed = await pushLimit.run(companyId, push);
        pending.lockedSince = null;
        return pushed;
      } catch (error) {
        if (!(error instanceof DataLocked)) throw error;
        pending.lockedSince ??= performance.now();
        if (performance.now() - pending.lockedSince >= maxLockedMilliseconds) throw error;
      }
      await wait(pause);
    }
  } finally {
    pending.count -= 1;
    if (pending.count === 0) pendingOf.delete(companyId);
  }
}

function begin(companyId: string): Pending {
  const { waitingPerCaller, waitingCallers } = limits.longWork;
  const isNew = !pendingOf.has(companyId);
  if (isNew && pendingOf.size > waitingCallers) throw new AccessError('service_unavailable');
  const pending = pendingOf.getOrInsert(companyId, { count: 0, lockedSince: null });
  if (pending.count > waitingPerCaller) {
    const message = `${waitingPerCaller} pushes of this company already wait for their turn.`;
    throw new AccessError('service_unavailable', { message });
  }
  pending.count += 1;
  return pending;
}
