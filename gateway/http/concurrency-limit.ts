import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, callCost } from '#core';
import {
  clientNetworkOf,
  EventLoopLag,
  eventLoopThrottle,
  KeyedSemaphore,
  limits,
  longWorkLimit,
} from '#http';
import { isPublicRoute } from './admission.ts';
import type { ConnectionLimit } from './connection-limit.ts';

const { permits, load, eventLoop } = limits;

declare module 'fastify' {
  interface FastifyRequest {
    /** Releases the permit that the request took from its client's network. Null if the request has no such permit. */
    leaveNetwork: (() => void) | null;
  }
}

/**
 * Limits the requests in progress per credential and protocol, so that no caller delays another. If a connection hasn't
 * sent a valid credential yet, its requests share a few permits with other requests from the same network.
 */
export function limitConcurrency(app: FastifyInstance, connections: ConnectionLimit) {
  const callers = new KeyedSemaphore(permits.perCaller);
  const networks = new KeyedSemaphore(permits.perNetwork);
  const lag = new EventLoopLag();

  app.decorateRequest('releasePermits', null);
  app.decorateRequest('leaveNetwork', null);
  app.addHook('onClose', async () => lag.stop());
  const receiving = new WeakSet<FastifyRequest>();
  app.addHook('preParsing', (request, _reply, body, done) => {
    if (request.caller !== null) connections.admitted(request);
    // Releases the permit while the body arrives. A slow body must not block other connections from the same network.
    else if (request.leaveNetwork && !request.raw.complete) receiving.add(request);
    if (request.caller !== null || receiving.has(request)) request.leaveNetwork?.();
    done(null, body);
  });
  app.addHook('preValidation', async (request, reply) => {
    if (receiving.has(request)) await enterNetwork(request, reply);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const { refusalCode } = request;
    if (refusalCode === 'missing_api_key' || refusalCode === 'invalid_api_key')
      connections.refused(request);
    request.leaveNetwork?.();
    const length = lengthOf(reply, payload);
    // A stream or a long response keeps its permits until the client has read it.
    if (length <= permits.longAnswerBytes) request.releasePermits?.();
    else if (!(payload instanceof Readable))
      // Waits until the event loop has time for a long response. Sending such a response blocks the event loop, because
      // the operating system copies it at once.
      await eventLoopThrottle.begin(length * eventLoop.perByte, request.caller?.credentialId);
  });

  /**
   * Resolves to true when the HTTP request may continue. Resolves to false if the connection was closed during the
   * wait.
   *
   * @throws AccessError `service_unavailable` if too many requests wait, or the process is overloaded
   */
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    credential: string | null,
  ): Promise<boolean> => {
    if (credential !== null) await enterCaller(request, reply, credential);
    if (!reply.raw.closed && !connections.isKnown(request)) await enterNetwork(request, reply);
    return !reply.raw.closed;
  };

  async function enterCaller(
    request: FastifyRequest,
    reply: FastifyReply,
    credential: string,
  ): Promise<void> {
    const {
      protocol = 'rest',
      points,
      permits: countPermits = points,
    } = request.routeOptions.config;
    // The credential isn't checked yet, so an invalid credential also gets its own limit.
    const key = `${protocol} ${credential}`;
    const weight = countPermits?.(request) ?? callCost;
    if (callers.countWaiting(key) >= permits.waitingPerCaller) {
      const message = `${permits.waitingPerCaller} requests of this caller already wait.`;
      throw new AccessError('service_unavailable', { message });
    }
    if (!isPublicRoute(request)) checkLoad(callers.countInUse(key));
    await callers.acquire(key, weight);
    request.releasePermits = () => {
      request.releasePermits = null;
      callers.release(key, weight);
    };
    reply.raw.once('close', () => request.releasePermits?.());
    if (reply.raw.closed) request.releasePermits();
  }

  async function enterNetwork(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const network = clientNetworkOf(request);
    await networks.acquire(network);
    request.leaveNetwork = () => {
      request.leaveNetwork = null;
      // Runs pending callbacks first, so that a flood of refused requests leaves time for other requests.
      setImmediate(() => networks.release(network));
    };
    reply.raw.once('close', () => request.leaveNetwork?.());
    if (reply.raw.closed) request.leaveNetwork();
  }

  function checkLoad(inProgress: number): void {
    if (inProgress < load.maxPerCaller) return;
    const isOverloaded =
      lag.milliseconds > load.eventLoopLagMilliseconds ||
      longWorkLimit.longestWaitMilliseconds > load.longWorkWaitMilliseconds;
    if (!isOverloaded) return;
    const message = 'The service is overloaded. Try again in a second.';
    throw new AccessError('service_unavailable', { message, retryAfterSeconds: 1 });
  }
}

function lengthOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  if (!(payload instanceof Readable)) return 0;
  return Number(reply.getHeader('content-length') ?? Number.POSITIVE_INFINITY);
}
