import { type AccessRequestAction, isDue } from '../../model/consent/transition.ts';
import type { Cursor } from '../../model/cursor.ts';
import { clock } from '../../model/events/event-type.ts';
import type { AccessRequests } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';
import { changeDueRequests } from './change-due-requests.ts';

/** As many as are changed in one transaction, which others may have to wait for. */
const batchSize = 50;

interface SweepOptions {
  /** Asked before each batch. */
  readonly isStopping?: () => boolean;
}

/**
 * Writes down what the clock has decided already, so that each request whose deadline has come gets its event.
 * Decisions do not wait for it. Any number of processes may run it at once.
 *
 * @returns how many requests were moved to `expired`
 * @throws Error at the end, when there were requests that could not be changed
 */
export const expireAccessRequests =
  (ports: Ports) =>
  (options: SweepOptions = {}): Promise<number> =>
    sweep(ports, 'expire', ports.accessRequests.listPastDeadline, options);

/**
 * Announces that grants are about to end, each once, by any number of processes.
 *
 * @returns how many were announced
 * @throws Error at the end, when there were requests that could not be changed
 */
export const announceExpiringGrants =
  (ports: Ports) =>
  (options: SweepOptions = {}): Promise<number> =>
    sweep(ports, 'remind', ports.accessRequests.listExpiring, options);

/** Forgets what was done under idempotency keys that have expired. */
export const forgetIdempotencyKeys =
  ({ clock, idempotencyKeys, imports }: Ports) =>
  async (): Promise<void> => {
    await idempotencyKeys.forgetExpired(clock.now());
    await imports.forgetKept(clock.now());
  };

/** Goes through the list once: what cannot be changed is passed over, and tried again by the next sweep. */
async function sweep(
  ports: Ports,
  type: Extract<AccessRequestAction['type'], 'expire' | 'remind'>,
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
    const message = `the sweep passed over ${failures.length} access requests`;
    throw new Error(message, { cause: failures[0] });
  }
  return changed;
}
