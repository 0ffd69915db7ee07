import { AccessError } from '#core';
import { FairSemaphore } from './fair-semaphore.ts';
import { KeyedSemaphore } from './keyed-semaphore.ts';

/** Pushes of one company follow each other anyway, so those that wait hold no connection of the database. */
const turns = new KeyedSemaphore(1);

/** Pushes of one company that wait. */
const maxWaiting = 20;

/** Each has a connection of those that reads use too. */
const pushesAtOnce = 2;

/** A push that waits for the database longer than this keeps those of other companies waiting no more. */
const patienceMilliseconds = 500;

const pushes = new FairSemaphore(pushesAtOnce, patienceMilliseconds);

/**
 * A push of the company when it is its turn, whichever way it came.
 *
 * @throws AccessError `service_unavailable`
 */
export async function inTurn<T>(companyId: string, push: () => Promise<T>): Promise<T> {
  if (turns.waiting(companyId) >= maxWaiting) {
    const message = `More than ${maxWaiting} pushes of this company wait for their turn.`;
    throw new AccessError('service_unavailable', { message });
  }
  return turns.within(companyId, () => pushes.within(companyId, push));
}
