import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseInput } from '#core';

const map = z.record(z.string(), z.unknown()).nullish();

const parametersSchema = z.object({
  // A plugin may add a missing document. If no plugin does, Yoga refuses the operation.
  query: z.string().nullish(),
  // The ID of a trusted document in GraphQL over HTTP, in Relay and in other clients.
  documentId: z.string().nullish(),
  doc_id: z.string().nullish(),
  id: z.string().nullish(),
  // In GraphQL over HTTP, an empty name counts as no name.
  operationName: z
    .string()
    .transform((name) => name || null)
    .nullish(),
  variables: map,
  // With `cost: false`, the response omits the cost. Plugins read all other extensions.
  extensions: z.looseObject({ cost: z.boolean().nullish() }).nullish(),
});

/** @throws AccessError `invalid_parameter` */
export function readParameters(sent: unknown) {
  return parseInput(parametersSchema, sent);
}

/** Reads the parameters of a GET. Variables and extensions are JSON texts. */
export function readQueryString({ query }: FastifyRequest): unknown {
  const { variables, extensions, ...texts } = query as Record<string, unknown>;
  return { ...texts, variables: readJson(variables), extensions: readJson(extensions) };
}

/** Returns invalid JSON as text, which `readParameters` then refuses. */
function readJson(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
