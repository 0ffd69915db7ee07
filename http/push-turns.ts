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

/** A push that finds its company's data locked leaves the turn to others before it looks again, each time for twice as long. */
const firstPauseMilliseconds = 50;

/** A push that finds the data locked this long after it came is refused, so those behind it do not add up. */
const patienceMilliseconds = 1_500;

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
  const refusedFrom = performance.now() + patienceMilliseconds;
  return turns.within(companyId, async () => {
    for (let pause = firstPauseMilliseconds; ; pause *= 2) {
      if (pushes.waiting(everybody) >= maxCompaniesWaiting)
        throw new AccessError('service_unavailable');
      try {
        return await pushes.within(everybody, push);
      } catch (error) {
        if (!(error instanceof DataLocked) || performance.now() > refusedFrom) throw error;
      }
      await wait(pause);
    }
  });
}
