import type { FastifyRequest } from 'fastify';
import { callCost } from '#core';

/** What a request asks for: one call, or with `?batch=1` as many as its path names between commas. */
export interface Calls {
  readonly names: readonly string[];
  readonly isBatch: boolean;
}

// The one reading of the path: what is charged and what is run cannot differ.
export function readCalls({ params, query }: FastifyRequest): Calls {
  const { '*': path = '' } = params as { '*'?: string };
  const isBatch = (query as { batch?: unknown }).batch === '1';
  return { isBatch, names: isBatch ? path.split(',') : [path] };
}

/** Whether the answers are wanted one by one, as they come. */
export function wantsStream({ headers }: FastifyRequest): boolean {
  const wanted = `${headers['trpc-accept'] ?? ''},${headers.accept ?? ''}`;
  return wanted.split(',').some((type) => type.trim() === 'application/jsonl');
}

/** What a request costs. A batch that is too large is one refusal: none of its calls runs. */
export const createCost =
  (maxBatch: number) =>
  (request: FastifyRequest): number => {
    const { length } = readCalls(request).names;
    return length > maxBatch ? callCost : length * callCost;
  };
