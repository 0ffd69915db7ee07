import type { HttpRequest } from '../../load/requests.ts';

export const get = (path: string, key?: string): HttpRequest => ({
  method: 'GET',
  path,
  ...(key !== undefined && { key }),
});

/** A GraphQL operation, or several as a batch. */
export const graphql = (query: string | readonly string[], key?: string): HttpRequest => ({
  ...get('/graphql', key),
  method: 'POST',
  body: JSON.stringify(typeof query === 'string' ? { query } : query.map((query) => ({ query }))),
});

/** So many of something, each by its number. */
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A selection so many times in one place, each under a name of its own. */
export const aliases = (
  count: number,
  selection: (name: string, index: number) => string,
): string => times(count, (index) => selection(`a${index}`, index)).join(' ');
