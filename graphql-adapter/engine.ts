import { createYoga } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { useBounds } from './bounds.ts';
import { createGraphqlSchema } from './schema.ts';
import type { GraphqlBounds } from './settings.ts';

/** A document within the bounds takes up to 300 KB of memory. */
const documentsKept = 200;

/**
 * Yoga reads, checks and carries out operations. HTTP is Fastify's alone, so that its hooks, bounds and draining hold
 * here as they do for REST; and errors are put into their form in one place, so Yoga masks none.
 */
export function createEngine(bounds: GraphqlBounds) {
  const yoga = createYoga({
    schema: createGraphqlSchema(),
    plugins: [useBounds(bounds)],
    parserAndValidationCache: {
      documentCache: new LRUCache({ max: documentsKept }),
      errorCache: new LRUCache({ max: documentsKept }),
    },
    maskedErrors: false,
    logging: false,
  });
  return yoga.getEnveloped;
}

export type Engine = ReturnType<typeof createEngine>;
