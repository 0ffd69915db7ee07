import { AccessError } from '../errors.ts';
import { clock } from '../events/event-type.ts';
import type { Ports } from '../ports.ts';
import { changeAccessRequest } from './change-access-request.ts';

const batchSize = 100;

/**
 * Writes down what the clock has decided already, so that each request whose deadline has come gets its event, and
 * forgets old idempotency keys. Decisions do not wait for it. Any number of processes may run it at once.
 *
 * @returns how many requests were moved to `expired`
 */
export const expireAccessRequests = (ports: Ports) => async (): Promise<number> => {
  const now = ports.clock.now();
  await ports.idempotencyKeys.forgetExpired(now);
  return changeAll(ports, 'expire', await ports.accessRequests.listPastDeadline(now, batchSize));
};

/**
 * Announces that grants are about to end, each once, by any number of processes.
 *
 * @returns how many were announced
 */
export const announceExpiringGrants = (ports: Ports) => async (): Promise<number> =>
  changeAll(ports, 'remind', await ports.accessRequests.listExpiring(ports.clock.now(), batchSize));

async function changeAll(
  ports: Ports,
  type: 'expire' | 'remind',
  ids: readonly string[],
): Promise<number> {
  let changed = 0;
  for (const id of ids) {
    try {
      await changeAccessRequest(ports, { id, actor: clock, check, action: () => ({ type }) });
      changed += 1;
    } catch (error) {
      // Another process was quicker with this one.
      const isLate = error instanceof AccessError && error.code === 'illegal_transition';
      if (!isLate) throw error;
    }
  }
  return changed;
}

/** Nothing removes an access request, so one that was listed is there. */
function check(): void {}
