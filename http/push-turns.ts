import { setTimeout as wait } from 'node:timers/promises';
import { AccessError, DataLocked } from '#core';
import { KeyedSemaphore } from './keyed-semaphore.ts';

/** Pushes of one company follow each other anyway, so those that wait hold no connection of the database. */
const turns = new KeyedSemaphore(1);

/** Pushes of one company that wait. */
const maxWaiting = 20;

/** In this process: each has a connection of those that reads use too. */
const pushesAtOnce = 2;

/** As each company has one of them at a time, they come in a fair order. */
const pushes = new KeyedSemaphore(pushesAtOnce);

/** A push that finds the data locked leaves its turn to other companies before it looks again, each time for twice as long. */
const firstPauseMilliseconds = 50;

/** Pushes are refused once the data of their company has been locked for so long. */
const patienceMilliseconds = 1_500;

/** Since when each push has found the data of the company locked. Pushes that wait share it, so they are refused together. */
const lockedSince = new Map<string, number>();

/** Companies whose pushes wait: some seconds of work. */
const maxCompaniesWaiting = 100;
const everybody = '';

/**
 * A push of the company when it is its turn, whichever way it came.
 *
 * @throws AccessError `service_unavailable` when too many wait, or the data stays locked
 */
export async function inTurn<T>(companyId: string, push: () => Promise<T>): Promise<T> {
  if (turns.waiting(companyId) >= maxWaiting) {
    const message = `More than ${maxWaiting} pushes of this company wait for their turn.`;
    throw new AccessError('service_unavailable', { message });
  }
  return turns.within(companyId, async () => {
    for (let pause = firstPauseMilliseconds; ; pause *= 2) {
      if (pushes.waiting(everybody) >= maxCompaniesWaiting)
        throw new AccessError('service_unavailable');
      try {
        const pushed = await pushes.within(everybody, push);
        lockedSince.delete(companyId);
        return pushed;
      } catch (error) {
        const isLocked = error instanceof DataLocked;
        if (!isLocked || !hasPatience(companyId)) {
          // Whoever comes after the last one that waits is as patient again.
          if (!isLocked || turns.waiting(companyId) === 0) lockedSince.delete(companyId);
          throw error;
        }
      }
      await wait(pause);
    }
  });
}

const hasPatience = (companyId: string): boolean =>
  performance.now() - lockedSince.getOrInsert(companyId, performance.now()) < patienceMilliseconds;
