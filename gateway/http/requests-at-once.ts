import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, callCost } from '#core';
import { EventLoopThrottle, KeyedSemaphore } from '#http';

/** Calls of one credential that are worked on at a time in one protocol. */
const callsAtOnce = 32;

/** Requests of one credential that wait; each holds its headers and nothing else. */
const maxWaiting = 1_000;

/** Requests without a credential that are begun in one turn of the event loop. */
const anonymousPerTurn = 8;

/**
 * Bounds how many requests of one credential are worked on at a time in this process, so that it competes with others
 * for a few at a time, however many it sends. Whoever shows no credential gets what is the same for all, or a refusal:
 * of these only so many are begun in a turn of the event loop.
 */
export function limitRequestsAtOnce(app: FastifyInstance) {
  const calls = new KeyedSemaphore(callsAtOnce);
  const anonymous = new EventLoopThrottle(anonymousPerTurn);

  app.decorateRequest('leave', null);
  // The answer is made, unless it comes piece by piece; how fast it is taken is another matter.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!(payload instanceof Readable) || reply.hasHeader('content-length')) request.leave?.();
    done(null, payload);
  });

  function enter(request: FastifyRequest, reply: FastifyReply, key: string, count: number): void {
    const leave = () => {
      if (request.leave === null) return;
      request.leave = null;
      calls.release(key, count);
    };
    request.leave = leave;
    reply.raw.once('close', leave);
  }

  /**
   * Resolves when the request may go on: to false when its caller has gone meanwhile.
   *
   * @throws AccessError `service_unavailable` when too many wait already
   */
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    credential: string | null,
  ): Promise<boolean> => {
    if (credential === null) {
      await anonymous.begin(1);
      return !reply.raw.closed;
    }
    const { protocol = 'rest', points, weight = points } = request.routeOptions.config;
    // Whose it is shows later; the same credential is the same caller.
    const key = `${protocol} ${credential}`;
    const count = weight?.(request) ?? callCost;
    if (calls.waiting(key) >= maxWaiting) {
      const message = `More than ${maxWaiting} requests of this caller wait to be answered.`;
      throw new AccessError('service_unavailable', { message });
    }
    await calls.acquire(key, count);
    enter(request, reply, key, count);
    if (!reply.raw.closed) return true;
    request.leave?.();
    return false;
  };
}
