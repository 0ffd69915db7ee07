import type { FastifyRequest } from 'fastify';

export interface Form {
  /** Undefined if the field wasn't sent or is empty. Line ends are normalised to LF. */
  text(name: string): string | undefined;
  all(name: string): string[];
}

export function readForm({ body }: Pick<FastifyRequest, 'body'>): Form {
  const fields = (body ?? {}) as Readonly<Record<string, string | string[]>>;
  const all = (name: string): string[] =>
    Object.hasOwn(fields, name) ? [fields[name] ?? []].flat() : [];
  return {
    all,
    text: (name) => all(name)[0]?.replaceAll('\r\n', '\n').trim() || undefined,
  };
}
