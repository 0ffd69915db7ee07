import { z } from 'zod';

/** Objects without a unique ID. The company and a few fields identify such an object. */
const namedThings = z.union([
  z.tuple([z.literal('metric'), z.string(), z.string()]),
  z.tuple([z.literal('source'), z.string(), z.string(), z.string()]),
  z.tuple([z.literal('account'), z.string(), z.string()]),
]);

export type NamedThing = z.infer<typeof namedThings>;

const maxLength = 4_000;

/** The ID is encoded, so that clients don't depend on its content. */
export function writeNodeId(...[kind, ...names]: NamedThing): string {
  return `${kind}_${Buffer.from(JSON.stringify(names)).toString('base64url')}`;
}

/** Decodes an ID. Returns null if `writeNodeId` can't have created the ID. */
export function readNodeId(id: string): NamedThing | null {
  if (id.length > maxLength) return null;
  const end = id.indexOf('_');
  const names = parse(Buffer.from(id.slice(end + 1), 'base64url').toString());
  const { data } = namedThings.safeParse(
    Array.isArray(names) ? [id.slice(0, end), ...names] : null,
  );
  // The decoders accept several spellings of an ID, but only the canonical one is valid.
  return data !== undefined && writeNodeId(...data) === id ? data : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
