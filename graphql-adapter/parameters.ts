import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseInput } from '#core';

const map = z.record(z.string(), z.unknown()).nullish();

/** What a client sends to have one operation carried out. */
const parametersSchema = z.object({
  // A plugin may bring the document; Yoga refuses an operation that has none after all.
  query: z.string().nullish(),
  // Names a trusted document: for GraphQL over HTTP, for Relay, and for other clients.
  documentId: z.string().nullish(),
  doc_id: z.string().nullish(),
  id: z.string().nullish(),
  // GraphQL over HTTP: an empty name is no name.
  operationName: z
    .string()
    .transform((name) => name || null)
    .nullish(),
  variables: map,
  // False leaves the cost out of the response. Plugins read the other extensions.
  extensions: z.looseObject({ cost: z.boolean().nullish() }).nullish(),
});

/** @throws AccessError `invalid_parameter` */
export function readParameters(sent: unknown) {
  return parseInput(parametersSchema, sent);
}

/** What a client sends in a GET: the same, the maps as JSON. */
export function readQueryString({ query }: FastifyRequest): unknown {
  const { variables, extensions, ...texts } = query as Record<string, unknown>;
  return { ...texts, variables: readJson(variables), extensions: readJson(extensions) };
}

/** What is not JSON stays a text, which is then refused as no map. */
function readJson(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
