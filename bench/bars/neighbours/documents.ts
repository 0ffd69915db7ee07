/** A selection so many times in one place, each under a name of its own. */
export const aliases = (
  count: number,
  selection: (name: string, index: number) => string,
): string => Array.from({ length: count }, (_, index) => selection(`a${index}`, index)).join(' ');

/** The body of a GraphQL batch. */
export const batchOf = (count: number, operation: (index: number) => string): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ query: operation(index) })));
