import { z } from 'zod';

/** The kinds of objects that have no unique ID of their own. The company and some fields identify such an object. */
const namedThings = z.union([
  z.tuple([z.literal('metric'), z.string(), z.string()]),
  z.tuple([z.literal('source'), z.string(), z.string(), z.string()]),
  z.tuple([z.literal('account'), z.string(), z.string()]),
]);

export type NamedThing = z.infer<typeof namedThings>;

const maxLength = 4_000;

/** Encodes the ID, so that clients don't depend on the content of the ID. */
export function writeNodeId(...[kind, ...names]: NamedThing): string {
  return `${kind}_${Buffer.from(JSON.stringify(names)).toString('base64url')}`;
}

/** Returns null if `writeNodeId` didn't write the ID. */
export function readNodeId(id: string): NamedThing | null {
  if (id.length > maxLength) return null;
  const end = id.indexOf('_');
  const names = parse(Buffer.from(id.slice(end + 1), 'base64url').toString());
  const { data } = namedThings.safeParse(
    Array.isArray(names) ? [id.slice(0, end), ...names] : null,
  );
  // The decoders accept several spellings, but an object has exactly one ID.
  return data !== undefined && writeNodeId(...data) === id ? data : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
