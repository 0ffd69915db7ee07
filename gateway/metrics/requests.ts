import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessRecord } from '#core';
import { errorCatalogue, isAborted, isEventStream, outcomesOf } from '#http';
import { protocolOf } from '../http/protocol.ts';
import { Tally } from './tally.ts';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const batchSizes = [1, 2, 5, 10, 20, 50, 100];

/** All label values come from fixed lists, so callers can't create new ones. */
export function createRequestMetrics(registry: Registry) {
  const calls = new Tally(['protocol', 'operation', 'outcome']);
  new Counter({
    name: 'requests_total',
    help: 'Calls by protocol, operation and outcome. Each call of a batch counts.',
    labelNames: calls.labelNames,
    registers: [registry],
    collect() {
      calls.writeTo(this);
    },
  });
  const decisions = new Tally(['protocol', 'resource', 'outcome']);
  new Counter({
    name: 'access_decisions_total',
    help: 'Decisions on reads of company data: allowed, or the code of the refusal.',
    labelNames: decisions.labelNames,
    registers: [registry],
    collect() {
      decisions.writeTo(this);
    },
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response, without event streams.',
    labelNames: ['protocol', 'result'],
    buckets: seconds,
    registers: [registry],
  });
  const batchSize = new Histogram({
    name: 'http_batch_size',
    help: 'Calls in a batch of GraphQL or tRPC.',
    labelNames: ['protocol'],
    buckets: batchSizes,
    registers: [registry],
  });
  return {
    observeRequest(request: FastifyRequest, reply: FastifyReply): void {
      const protocol = protocolOf(request);
      const hasLeft = isAborted(reply);
      const outcomes = outcomesOf(request);
      let result: 'ok' | 'refused' | 'failed' | 'aborted' = hasLeft ? 'aborted' : 'ok';
      for (const { operation, outcome } of outcomes) {
        const isUnexplained = outcome === 'ok' && reply.statusCode >= 400;
        if (outcome !== 'ok') {
          const isServerError = errorCatalogue[outcome].type === 'api_error';
          if (result !== 'failed') result = isServerError ? 'failed' : 'refused';
        } else if (isUnexplained) result = reply.statusCode >= 500 ? 'failed' : 'refused';
        const label = isUnexplained ? 'other' : outcome;
        calls.add(protocol, operation, hasLeft && outcome === 'ok' ? 'aborted' : label);
      }
      if (outcomes.length > 1) batchSize.observe({ protocol }, outcomes.length);
      // A stream stays open as long as the client wants, so its duration doesn't measure the service.
      if (!isEventStream(reply)) {
        duration.observe({ protocol, result }, reply.elapsedTime / 1000);
      }
    },
    countDecision: ({ protocol, resource, outcome }: AccessRecord) =>
      decisions.add(protocol, resource, outcome),
  };
}
