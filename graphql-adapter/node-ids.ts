import { z } from 'zod';

/** Objects without a unique ID of their own. They are named by their company and by their identifying fields there. */
const namedThings = z.union([
  z.tuple([z.literal('metric'), z.string(), z.string()]),
  z.tuple([z.literal('source'), z.string(), z.string(), z.string()]),
  z.tuple([z.literal('account'), z.string(), z.string()]),
]);

export type NamedThing = z.infer<typeof namedThings>;

/** Longer than any ID that this service writes. */
const maxLength = 4_000;

/** Encodes an ID, so that clients don't depend on its content. It contains nothing that the client doesn't know. */
export function writeNodeId(...[kind, ...names]: NamedThing): string {
  return `${kind}_${Buffer.from(JSON.stringify(names)).toString('base64url')}`;
}

/** Returns null if the ID wasn't written here. */
export function readNodeId(id: string): NamedThing | null {
  if (id.length > maxLength) return null;
  const end = id.indexOf('_');
  const names = parse(Buffer.from(id.slice(end + 1), 'base64url').toString());
  const { data } = namedThings.safeParse(
    Array.isArray(names) ? [id.slice(0, end), ...names] : null,
  );
  // Each object has exactly one ID, even though the decoders accept others.
  return data !== undefined && writeNodeId(...data) === id ? data : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
