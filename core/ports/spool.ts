export interface Spool<Item> {
  add(group: string, rank: number, item: Item): Promise<void>;
  /** Yields the groups in the order of their first items. */
  groups(): Iterable<string>;
  /** Yields the items of a group, sorted by rank, then in the order of the `add` calls. Can be called several times. */
  read(group: string): AsyncIterable<Item>;
  close(): Promise<void>;
}

/**
 * Opens a spool, which keeps items outside of memory and returns them by group. The memory of the process must not grow
 * with the number of items. If the process dies, no file may remain.
 */
export type OpenSpool = <Item>() => Spool<Item>;
