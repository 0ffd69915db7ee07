import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseInput } from '#core';

const map = z.record(z.string(), z.unknown()).nullish();

const parametersSchema = z.object({
  // The document. If it is missing, a plugin may add it. Otherwise Yoga rejects the operation.
  query: z.string().nullish(),
  // The ID of a trusted document. GraphQL over HTTP, Relay and other clients use different field names.
  documentId: z.string().nullish(),
  doc_id: z.string().nullish(),
  id: z.string().nullish(),
  // GraphQL over HTTP treats an empty name as no name.
  operationName: z
    .string()
    .transform((name) => name || null)
    .nullish(),
  variables: map,
  // With `cost: false`, the response omits the cost. Only plugins read other extensions.
  extensions: z.looseObject({ cost: z.boolean().nullish() }).nullish(),
});

/** @throws AccessError `invalid_parameter` */
export function readParameters(sent: unknown) {
  return parseInput(parametersSchema, sent);
}

/** Reads the parameters of a GET. `variables` and `extensions` are JSON texts. */
export function readQueryString({ query }: FastifyRequest): unknown {
  const { variables, extensions, ...texts } = query as Record<string, unknown>;
  return { ...texts, variables: readJson(variables), extensions: readJson(extensions) };
}

/** Parses JSON. Returns invalid JSON as text, so that `readParameters` rejects it. */
function readJson(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
