import { z } from 'zod';

/**
 * What has no id of its own by which it can be told from everything else: it is named by its company and by what tells
 * it from the others there, whatever its value is at the moment.
 */
const namedThings = z.union([
  z.tuple([z.literal('metric'), z.string(), z.string()]),
  z.tuple([z.literal('source'), z.string(), z.string(), z.string()]),
  z.tuple([z.literal('account'), z.string(), z.string()]),
]);

export type NamedThing = z.infer<typeof namedThings>;

/** Longer than any that is written here. */
const maxLength = 4_000;

/** It is encoded so that no client depends on its content, which tells nothing that the client does not know. */
export function writeNodeId(...[kind, ...names]: NamedThing): string {
  return `${kind}_${Buffer.from(JSON.stringify(names)).toString('base64url')}`;
}

/** Null when it was not written here. */
export function readNodeId(id: string): NamedThing | null {
  if (id.length > maxLength) return null;
  const end = id.indexOf('_');
  const names = parse(Buffer.from(id.slice(end + 1), 'base64url').toString());
  const { data } = namedThings.safeParse(
    Array.isArray(names) ? [id.slice(0, end), ...names] : null,
  );
  // Each thing has one id alone, however lenient the decoders are.
  return data !== undefined && writeNodeId(...data) === id ? data : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
