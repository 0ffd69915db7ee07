import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { AccessError, callCost } from '#core';
import { clientNetworkOf, EventLoopThrottle, KeyedSemaphore } from '#http';
import { isOpen } from './admission.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { LoadShedder } from './load-shedding.ts';

/** Calls of one credential that run at a time in one protocol. */
const maxRunning = 32;

/** Requests of one credential that wait; each holds its headers and nothing else. */
const maxWaiting = 1_000;

/** Requests of strangers that begin in one turn of the event loop. */
const strangersPerTurn = 8;

/** The number of admitted credentials that are remembered. */
const maxAdmitted = 10_000;

/** What is under way for a caller, by its credential. */
interface Work {
  readonly credential: string;
  readonly weight: number;
  isCounted: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the request may go on, and once it is answered. */
    workUnderWay: Work | null;
  }
}

const overload = {
  message: 'The service has more to do than it can. Try again a little later.',
  retryAfterSeconds: 1,
};

/**
 * Bounds how many requests of one credential run at a time in this process, so that a caller that sends many holds
 * nobody else up. Strangers are requests without a credential, or with one that was not admitted lately; whoever sends
 * another one each time is a stranger each time. Of their requests the number that begins in one turn of the event loop
 * is bounded, and the addresses that they come from take turns.
 */
export function limitConcurrency(app: FastifyInstance, connections: ConnectionLimit) {
  const calls = new KeyedSemaphore(maxRunning);
  const strangers = new EventLoopThrottle(strangersPerTurn);
  /** By digest: a process keeps no credential that it need not keep. */
  const admitted = new LRUCache<string, true>({ max: maxAdmitted });
  const shedder = new LoadShedder();

  app.decorateRequest('releasePermits', null);
  app.decorateRequest('workUnderWay', null);
  // A complete answer gives the permits back, however slowly it is read; a stream does that at its end.
  app.addHook('onSend', (request, reply, payload, done) => {
    const isStream = payload instanceof Readable && !reply.hasHeader('content-length');
    if (isUnknownCaller(request)) refuse(request);
    endWork(request, true);
    if (!isStream) request.releasePermits?.();
    done(null, payload);
  });

  // Nobody who was not admitted counts, and before its body is there a request takes no time but its caller's.
  app.addHook('preHandler', (request, _reply, done) => {
    const begun = request.workUnderWay;
    if (begun && !begun.isCounted && request.caller !== null) {
      begun.isCounted = true;
      shedder.begin(begun.credential, begun.weight);
      if (!connections.isKnown(request)) {
        connections.admitted(request);
        admitted.set(digestOf(begun.credential), true);
      }
    }
    done();
  });

  /** A caller that is over its limit, or comes while the database is away, is no stranger for that. */
  const isUnknownCaller = ({ refusalCode }: FastifyRequest): boolean =>
    refusalCode === 'missing_api_key' || refusalCode === 'invalid_api_key';

  function refuse(request: FastifyRequest): void {
    connections.refused(request);
    const begun = request.workUnderWay;
    if (begun !== null) admitted.delete(digestOf(begun.credential));
  }

  const isKnown = (request: FastifyRequest, credential: string): boolean =>
    connections.isKnown(request) || admitted.has(digestOf(credential));

  function endWork(request: FastifyRequest, isDone: boolean): void {
    const begun = request.workUnderWay;
    if (begun === null) return;
    request.workUnderWay = null;
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
    if (credential === null || !isKnown(request, credential)) {
      await strangers.begin(1, clientNetworkOf(request));
      if (reply.raw.closed) return false;
    }
    if (credential === null) return true;
    const { protocol = 'rest', points, weight: weigh = points } = request.routeOptions.config;
    // Nobody is authenticated yet; the same credential is the same caller.
    const key = `${protocol} ${credential}`;
    const count = weigh?.(request) ?? callCost;
    if (calls.waiting(key) >= maxWaiting) {
      const message = `More than ${maxWaiting} requests of this caller wait to be answered.`;
      throw new AccessError('service_unavailable', { message });
    }
    if (!isOpen(request) && !shedder.mayBegin(credential))
      throw new AccessError('service_unavailable', overload);
    await calls.acquire(key, count);
    const weight = Math.min(count, maxRunning);
    request.workUnderWay = { credential, weight, isCounted: false };
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

const digestOf = (credential: string): string => hash('sha256', credential, 'base64');
