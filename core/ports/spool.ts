export interface Spool<Item> {
  add(group: string, rank: number, item: Item): Promise<void>;
  /** Yields the groups in the order of their first items. */
  groups(): Iterable<string>;
  /** Yields the items of a group by rank, then in the order of `add`. Can be called again. */
  read(group: string): AsyncIterable<Item>;
  close(): Promise<void>;
}

/** Opens a spool. Its memory must not grow with the number of items. No file may be left if the process dies. */
export type OpenSpool = <Item>() => Spool<Item>;
