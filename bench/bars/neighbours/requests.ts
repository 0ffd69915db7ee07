import type { HttpRequest } from '../../load/requests.ts';

export const get = (path: string, key?: string): HttpRequest => ({
  method: 'GET',
  path,
  ...(key !== undefined && { key }),
});

export const graphql = (query: string | readonly string[], key?: string): HttpRequest => ({
  ...get('/graphql', key),
  method: 'POST',
  body: JSON.stringify(typeof query === 'string' ? { query } : query.map((query) => ({ query }))),
});

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Repeats a selection with a different alias each time. */
export const aliases = (
  count: number,
  selection: (name: string, index: number) => string,
): string => times(count, (index) => selection(`a${index}`, index)).join(' ');
