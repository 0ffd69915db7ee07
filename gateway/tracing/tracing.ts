import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiter } from '#core';
import type { AnsweredBatch } from '#db';
import type { TraceWebhook } from '../webhooks/sender.ts';

/** What a service tells a collector about what it does. Nothing of it may fail, or hold anything up. */
export interface Tracing {
  traceRequests(app: FastifyInstance): void;
  /** Ends the span of a request that has been answered, or whose client has left. */
  endRequest(request: FastifyRequest, reply: FastifyReply): void;
  /** The span of the request that is being worked on. */
  currentSpan(): unknown;
  traceBatch(batch: AnsweredBatch): void;
  traceSpending(spend: RateLimiter['spend']): RateLimiter['spend'];
  readonly traceWebhook: TraceWebhook;
  /** Sends what is left, for a short while. */
  stop(): Promise<void>;
}
