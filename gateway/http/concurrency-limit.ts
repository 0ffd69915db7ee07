import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, callCost } from '#core';
import { EventLoopThrottle, KeyedSemaphore } from '#http';
import { isOpen } from './admission.ts';
import { LoadShedder } from './load-shedding.ts';

/** Calls of one credential that run at a time in one protocol. */
const maxRunning = 32;

/** Requests of one credential that wait; each holds its headers and nothing else. */
const maxWaiting = 1_000;

/** Requests without a credential that begin in one turn of the event loop. */
const anonymousPerTurn = 8;

interface Work {
  readonly credential: string;
  readonly weight: number;
  isCounted: boolean;
}

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
  /** What is under way for a caller that was admitted, by its credential. */
  const work = new WeakMap<FastifyRequest, Work>();

  app.decorateRequest('releasePermits', null);
  // A complete answer gives the permits back, however slowly it is read; a stream does that at its end.
  app.addHook('onSend', (request, reply, payload, done) => {
    const isStream = payload instanceof Readable && !reply.hasHeader('content-length');
    endWork(request, true);
    if (!isStream) request.releasePermits?.();
    done(null, payload);
  });

  // Nobody who was not admitted counts, and before its body is there a request takes no time but its caller's.
  app.addHook('preHandler', (request, _reply, done) => {
    const begun = work.get(request);
    if (begun && !begun.isCounted && request.caller !== null) {
      begun.isCounted = true;
      shedder.begin(begun.credential, begun.weight);
    }
    done();
  });

  function endWork(request: FastifyRequest, isDone: boolean): void {
    const begun = work.get(request);
    if (begun === undefined) return;
    work.delete(request);
    if (begun.isCounted) shedder.end(begun.credential, begun.weight, isDone);
  }

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
    if (!isOpen(request) && !shedder.mayBegin(credential))
      throw new AccessError('service_unavailable', overload);
    await calls.acquire(key, count);
    work.set(request, { credential, weight: Math.min(count, maxRunning), isCounted: false });
    request.releasePermits = () => {
      request.releasePermits = null;
      calls.release(key, count);
    };
    reply.raw.once('close', () => {
      endWork(request, false);
      request.releasePermits?.();
    });
    if (reply.raw.closed) request.releasePermits();
    return !reply.raw.closed;
  };
}
