import { z } from 'zod';
import { AccessError } from './errors.ts';
import { maxPageSize } from './input.ts';

/** How many items a page has when nobody says. */
const usualPageSize = 100;

const size = z.int().min(0).max(maxPageSize);
const place = z.string();

/** A page in the form of Relay's specification of connections. */
export const connectionInput = z.strictObject({
  /** So many from the beginning, or after a place; not together with `last`. */
  first: size.nullish(),
  after: place.nullish(),
  /** So many up to the end, or to a place. */
  last: size.nullish(),
  before: place.nullish(),
});

type ConnectionInput = z.output<typeof connectionInput>;

export interface ConnectionPage<Edge> {
  readonly edges: readonly Edge[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** Counts the items of the whole list. Reads nothing before it is called. */
  readonly countAll: () => Promise<number>;
}

/** How many items a page of this input can have. */
export const connectionSizeOf = ({ first, last }: z.input<typeof connectionInput>): number =>
  first ?? last ?? usualPageSize;

interface AskedPage {
  readonly limit: number;
  /** Whether the page is read from the end of the list, or from `before`, backwards. */
  readonly isFromEnd: boolean;
}

/** @throws AccessError `invalid_parameter` when both ends are asked for at once */
export function askedPageOf(input: ConnectionInput): AskedPage {
  if (input.first != null && input.last != null) {
    const message = 'A page is the first so many or the last so many: leave first or last out.';
    throw new AccessError('invalid_parameter', { message });
  }
  return { limit: connectionSizeOf(input), isFromEnd: input.last != null };
}

/** @param found in the order in which it was read, one item more than the page may have if there are more */
export function toConnectionPage<Item, Edge>(
  found: readonly Item[],
  { after, before }: ConnectionInput,
  { limit, isFromEnd }: AskedPage,
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
