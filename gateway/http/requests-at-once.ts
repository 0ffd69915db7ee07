import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, callCost } from '#core';
import { KeyedSemaphore, WorkPerTurn } from '#http';

/** Calls of one credential that are answered at a time by one protocol. */
const callsAtOnce = 32;

/** Requests of one credential that wait; each holds its headers and nothing else. */
const maxWaiting = 1_000;

/** Requests without a credential that are begun in one turn of the event loop. */
const anonymousPerTurn = 8;

/**
 * Bounds what one credential has under way in this process, so that it competes with others for a few requests at a
 * time, however many it sends. A request is under way until its answer has been handed to the system. Whoever shows no
 * credential gets what is the same for all, or a refusal: of these only so many are begun in a turn, because one who
 * does not take its answer must not keep the others waiting.
 */
export function limitRequestsAtOnce() {
  const calls = new KeyedSemaphore(callsAtOnce);
  const anonymous = new WorkPerTurn(anonymousPerTurn);

  /**
   * Undefined when the request may go on at once.
   *
   * @throws AccessError `rate_limit_exceeded` when too many wait already
   */
  return (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    // Whose it is shows later; the same words are the same caller.
    const { authorization } = request.headers;
    if (authorization === undefined) {
      return anonymous.beginNow(1) ? undefined : anonymous.begin(1);
    }
    const { protocol = 'rest', points, weight = points } = request.routeOptions.config;
    const key = `${protocol} ${authorization}`;
    const count = weight?.(request) ?? callCost;
    const leave = () => calls.release(key, count);
    if (calls.tryAcquire(key, count)) {
      reply.raw.once('close', leave);
      return undefined;
    }
    if (calls.waiting(key) >= maxWaiting) {
      throw new AccessError('rate_limit_exceeded', {
        message: `More than ${maxWaiting} requests of this caller wait to be answered.`,
        retryAfterSeconds: 1,
      });
    }
    return calls.acquire(key, count).then(() => {
      if (!reply.raw.closed) {
        reply.raw.once('close', leave);
        return;
      }
      leave();
      // Nobody is there any more to be told so.
      throw new AccessError('service_unavailable');
    });
  };
}
