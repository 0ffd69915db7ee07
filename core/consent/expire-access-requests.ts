import { OperatorError } from '../errors.ts';
import type { Ports } from '../ports.ts';
import { act } from './decide-access-request.ts';

const batchSize = 100;

/**
 * Writes down what the clock has decided already, so that each lapsed request gets its event, and forgets old
 * idempotency keys. Decisions do not wait for it. Any number of processes may run it at once.
 *
 * @returns how many requests were moved to `expired`
 */
export const expireAccessRequests = (ports: Ports) => async (): Promise<number> => {
  await ports.idempotencyKeys.forgetExpired(ports.clock.now());
  const ids = await ports.accessRequests.listLapsed(ports.clock.now(), batchSize);
  let expired = 0;
  for (const id of ids) {
    try {
      await act(ports, id, () => ({ type: 'expire' }));
      expired += 1;
    } catch (error) {
      // Another process was quicker with this one.
      if (!(error instanceof OperatorError)) throw error;
    }
  }
  return expired;
};
