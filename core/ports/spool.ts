export interface Spool<Item> {
  add(group: string, rank: number, item: Item): Promise<void>;
  /** Yields the groups in the order of their first items. */
  groups(): Iterable<string>;
  /** Yields the items of a group by rank, then in the order of `add`. Can be called again. */
  read(group: string): AsyncIterable<Item>;
  close(): Promise<void>;
}

/**
 * Opens a spool. The memory of the process must not grow with the number of items. If the process dies, no file may
 * remain.
 */
export type OpenSpool = <Item>() => Spool<Item>;
