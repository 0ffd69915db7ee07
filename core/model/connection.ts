import { z } from 'zod';
import { AccessError } from './errors.ts';
import { maxPageSize } from './input.ts';

const defaultPageSize = 100;

const size = z.int().min(0).max(maxPageSize);
const cursor = z.string();

/** The paging arguments of Relay's connection specification. A call can have `first` or `last`, but not both. */
export const connectionInput = z.strictObject({
  first: size.nullish(),
  after: cursor.nullish(),
  last: size.nullish(),
  before: cursor.nullish(),
});

type ConnectionInput = z.output<typeof connectionInput>;

export interface ConnectionPage<Edge> {
  readonly edges: readonly Edge[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** Counts all items of the list. The count query runs only when this function is called. */
  readonly countAll: () => Promise<number>;
}

export const connectionSizeOf = ({ first, last }: z.input<typeof connectionInput>): number =>
  first ?? last ?? defaultPageSize;

interface RequestedPage {
  readonly limit: number;
  readonly isFromEnd: boolean;
}

/** @throws AccessError `invalid_parameter` if both `first` and `last` are given */
export function requestedPageOf(input: ConnectionInput): RequestedPage {
  if (input.first != null && input.last != null) {
    const message = 'Give first or last, but not both.';
    throw new AccessError('invalid_parameter', { message });
  }
  return { limit: connectionSizeOf(input), isFromEnd: input.last != null };
}

/** @param found in the order of the query. One item above the page size means that another page follows */
export function toConnectionPage<Item, Edge>(
  found: readonly Item[],
  { after, before }: ConnectionInput,
  { limit, isFromEnd }: RequestedPage,
  toEdge: (item: Item) => Edge,
  countAll: () => Promise<number>,
): ConnectionPage<Edge> {
  const hasMore = found.length > limit;
  const items = found.slice(0, limit);
  return {
    edges: (isFromEnd ? items.toReversed() : items).map(toEdge),
    hasNextPage: isFromEnd ? before != null : hasMore,
    hasPreviousPage: isFromEnd ? hasMore : after != null,
    countAll,
  };
}
