import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiter } from '#core';
import type { AnsweredBatch } from '#db';
import type { TraceWebhook } from '../webhooks/sender.ts';

/** What a service tells a collector about what it does. Nothing of it may fail, or hold anything up. */
export interface Tracing {
  traceRequests(app: FastifyInstance): void;
  /** Ends the span of a request that has been answered, or whose client has left. */
  endRequest(request: FastifyRequest, reply: FastifyReply): void;
  /** What is known, in the course of a request, about where it stands. */
  currentSpan(): unknown;
  traceBatch(batch: AnsweredBatch): void;
  traceSpending(spend: RateLimiter['spend']): RateLimiter['spend'];
  readonly traceWebhook: TraceWebhook;
  /** Sends what is left, for a short while. */
  stop(): Promise<void>;
}
