import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, callCost } from '#core';
import { EventLoopThrottle, KeyedSemaphore } from '#http';
import { LoadShedder } from './load-shedding.ts';

/** Calls of one credential that run at a time in one protocol. */
const maxRunning = 32;

/** Requests of one credential that wait; each holds its headers and nothing else. */
const maxWaiting = 1_000;

/** Requests without a credential that begin in one turn of the event loop. */
const anonymousPerTurn = 8;

const overload = {
  message: 'The service has more to do than it can. Try again a little later.',
  retryAfterSeconds: 1,
};

/**
 * Bounds how many requests of one credential run at a time in this process, so that a caller that sends many holds
 * nobody else up. A request without a credential gets a refusal or what is the same for all, so only the number that
 * begins in one turn of the event loop is bounded.
 */
export function limitConcurrency(app: FastifyInstance) {
  const calls = new KeyedSemaphore(maxRunning);
  const anonymous = new EventLoopThrottle(anonymousPerTurn);
  const shedder = new LoadShedder();
  const countWork = new WeakMap<FastifyRequest, () => void>();

  app.decorateRequest('releasePermits', null);
  // A complete answer gives the permits back, however slowly it is read; a stream does that at its end.
  app.addHook('onSend', (request, reply, payload, done) => {
    const isStream = payload instanceof Readable && !reply.hasHeader('content-length');
    if (!isStream) request.releasePermits?.();
    done(null, payload);
  });

  // Before its body is there a request takes no time but its caller's.
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.releasePermits !== null) countWork.get(request)?.();
    done();
  });

  /**
   * Resolves when the request may go on: to false when its connection was closed meanwhile.
   *
   * @throws AccessError `service_unavailable` when too many wait already, or the service has more to do than it can
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
    // Nobody is authenticated yet; the same credential is the same caller.
    const key = `${protocol} ${credential}`;
    const count = weight?.(request) ?? callCost;
    if (calls.waiting(key) >= maxWaiting) {
      const message = `More than ${maxWaiting} requests of this caller wait to be answered.`;
      throw new AccessError('service_unavailable', { message });
    }
    if (!shedder.mayBegin(credential)) throw new AccessError('service_unavailable', overload);
    await calls.acquire(key, count);
    let counted = 0;
    countWork.set(request, () => {
      counted = Math.min(count, maxRunning);
      shedder.begin(credential, counted);
    });
    request.releasePermits = () => {
      request.releasePermits = null;
      calls.release(key, count);
      if (counted > 0) shedder.end(credential, counted);
    };
    reply.raw.once('close', () => request.releasePermits?.());
    if (reply.raw.closed) request.releasePermits();
    return !reply.raw.closed;
  };
}
