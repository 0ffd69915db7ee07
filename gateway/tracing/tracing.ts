import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimiter } from '#core';
import type { AnsweredBatch } from '#db';
import type { TraceWebhook } from '../webhooks/sender.ts';

/** Reports the service's work to a collector. Must not fail or delay anything. */
export interface Tracing {
  traceRequests(app: FastifyInstance): void;
  /** Ends the span of a request after its response, or after its client has left. */
  endRequest(request: FastifyRequest, reply: FastifyReply): void;
  /** The span of the present request. */
  currentSpan(): unknown;
  traceBatch(batch: AnsweredBatch): void;
  traceSpending(spend: RateLimiter['spend']): RateLimiter['spend'];
  readonly traceWebhook: TraceWebhook;
  /** Sends the remaining spans, for a short time. */
  stop(): Promise<void>;
}
