import { type AccessRequestAction, isDue } from '../../model/consent/transition.ts';
import type { Cursor } from '../../model/cursor.ts';
import { clock } from '../../model/events/event-type.ts';
import type { AccessRequests } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';
import { changeDueRequests } from './change-due-requests.ts';

/** The number of requests in one transaction. Other changes to these requests wait until the transaction ends. */
const batchSize = 50;

export interface SweepOptions {
  /** Called before each step. */
  readonly isStopping?: () => boolean;
}

/**
 * Stores the expiry of requests whose deadline has passed, and writes an event for each. Access decisions don't wait
 * for this, because they check the deadline themselves. Several processes may run this at the same time.
 *
 * @returns the number of expired requests
 * @throws Error at the end if some requests couldn't be changed
 */
export const expireAccessRequests =
  (ports: Ports) =>
  (options: SweepOptions = {}): Promise<number> =>
    sweep(ports, 'expire', ports.accessRequests.listPastDeadline, options);

/**
 * Announces each grant that expires soon, once. Several processes may run this at the same time.
 *
 * @returns the number of announced grants
 * @throws Error at the end if some requests couldn't be changed
 */
export const announceExpiringGrants =
  (ports: Ports) =>
  (options: SweepOptions = {}): Promise<number> =>
    sweep(ports, 'remind', ports.accessRequests.listExpiring, options);

/**
 * Asks the company of each old grant whether the grant should continue, once. Several processes may run this at the same
 * time.
 *
 * @returns the number of grants to review
 * @throws Error at the end if some requests couldn't be changed
 */
export const announceReviews =
  (ports: Ports) =>
  (options: SweepOptions = {}): Promise<number> =>
    sweep(ports, 'review', ports.accessRequests.listToReview, options);

export const deleteExpiredIdempotencyKeys =
  ({ clock, idempotencyKeys, imports }: Ports) =>
  async (): Promise<void> => {
    await idempotencyKeys.deleteExpired(clock.now());
    await imports.deleteExpiredPushes(clock.now());
  };

/** Changes all due requests in batches. A request that fails waits for the next run. */
async function sweep(
  ports: Ports,
  type: Extract<AccessRequestAction['type'], 'expire' | 'remind' | 'review'>,
  list: AccessRequests['listPastDeadline'],
  { isStopping }: SweepOptions,
): Promise<number> {
  const now = ports.clock.now();
  const change = { actor: clock, action: { type } };
  let after: Cursor | null = null;
  let changed = 0;
  const failures: Error[] = [];
  while (!isStopping?.()) {
    const page: readonly Cursor[] = await list({ now, after, limit: batchSize });
    const done = await changeDueRequests(
      ports,
      page.map(({ id }) => id),
      (request, instant) => (isDue(request, change.action, instant) ? change : null),
    );
    changed += done.changed;
    failures.push(...done.failures);
    if (page.length < batchSize) break;
    after = page.at(-1) as Cursor;
  }
  if (failures.length > 0) {
    const message = `the sweep skipped ${failures.length} access requests`;
    throw new Error(message, { cause: failures[0] });
  }
  return changed;
}
