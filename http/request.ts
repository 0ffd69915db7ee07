import type { FastifyRequest } from 'fastify';
import type { Caller, Protocol, RateLimitState } from '#core';
import { ProtocolError } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gateway once it has admitted the caller; null on what is open to everyone. */
    caller: Caller | null;
    /** The caller's budget as it stands. */
    rateLimit: RateLimitState;
    /** Makes room for the next request of the same caller; null once that has been done. */
    leave: (() => void) | null;
  }
  /** What a route tells the gateway. */
  interface FastifyContextConfig {
    /** Open to everyone: no credential is looked at and nothing is counted. */
    open?: boolean | ((request: FastifyRequest) => boolean);
    /** Asked by whoever watches the process: it must not wait behind those who use it. */
    isProbe?: boolean;
    /** How many calls one request weighs among those of a caller that are answered at a time. */
    weight?: (request: FastifyRequest) => number;
    /** By which protocol the route is served; REST if nothing else is said. */
    protocol?: Protocol;
    /** What a request costs when it is not one call. */
    points?: (request: FastifyRequest) => number;
    /** The company whose data a request asks for, where the route says so. */
    companyId?: (request: FastifyRequest) => string | undefined;
  }
}

/** @throws ProtocolError `missing_api_key` */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new ProtocolError('missing_api_key');
  return caller;
}
