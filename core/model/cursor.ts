import { InputError } from './input.ts';
import { isExpressible } from './time.ts';

/** The position of the last item of a page, in a list ordered by time, then by ID. */
export interface Cursor {
  readonly instant: Date;
  readonly id: string;
}

export function isEarlier(cursor: Cursor, other: Cursor): boolean {
  const difference = cursor.instant.getTime() - other.instant.getTime();
  return difference < 0 || (difference === 0 && cursor.id < other.id);
}

const cursorPattern = /^[0-9a-z]{1,10}\.[0-9A-Za-z_]{1,80}$/;

export function writeCursor({ instant, id }: Cursor): string {
  return `${instant.getTime().toString(36)}.${id}`;
}

/** @throws InputError `invalid_parameter` if this service didn't write the cursor */
export function readCursor(text: string | null | undefined, parameter = 'cursor'): Cursor | null {
  if (text == null) return null;
  // A point follows the time in the cursor, and parseInt stops at the point.
  const instant = new Date(Number.parseInt(text, 36));
  if (!cursorPattern.test(text) || !isExpressible(instant)) {
    throw new InputError('invalid_parameter', parameter);
  }
  return { instant, id: text.slice(text.indexOf('.') + 1) };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page. Null on the last page. */
  readonly nextCursor: string | null;
}

/** @param found the items of the page. One item above the limit means that another page follows */
export function toPage<Item>(
  found: readonly Item[],
  limit: number,
  cursorOf: (item: Item) => Cursor,
): Page<Item> {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : writeCursor(cursorOf(last)) };
}
