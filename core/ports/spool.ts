/** Temporary storage for many items, by group. */
export interface Spool<Item> {
  add(group: string, rank: number, item: Item): Promise<void>;
  /** Groups in the order of their first items. */
  groups(): Iterable<string>;
  /** Reads the items of a group by rank, then in the order of their addition. May be called again. */
  read(group: string): AsyncIterable<Item>;
  /** Removes all items. */
  close(): Promise<void>;
}

/** Opens a spool. Its memory must not grow with the number of items, and it must leave no file when its process dies. */
export type OpenSpool = <Item>() => Spool<Item>;
