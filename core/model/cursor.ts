import { InputError } from './input.ts';
import { isExpressible } from './time.ts';

/** A place in a list that is ordered by an instant, then by id: that of the last item of a page. */
export interface Cursor {
  readonly instant: Date;
  readonly id: string;
}

/** Whether a place comes before another one in time. */
export function isEarlier(place: Cursor, other: Cursor): boolean {
  const difference = place.instant.getTime() - other.instant.getTime();
  return difference < 0 || (difference === 0 && place.id < other.id);
}

const cursorPattern = /^[0-9a-z]{1,10}\.[0-9A-Za-z_]{1,80}$/;

export function writeCursor({ instant, id }: Cursor): string {
  return `${instant.getTime().toString(36)}.${id}`;
}

/** @throws InputError `invalid_parameter`, naming the parameter, when it was not written here */
export function readCursor(text: string | null | undefined, parameter = 'cursor'): Cursor | null {
  if (text == null) return null;
  // What is parsed ends at the point.
  const instant = new Date(Number.parseInt(text, 36));
  if (!cursorPattern.test(text) || !isExpressible(instant)) {
    throw new InputError('invalid_parameter', parameter);
  }
  return { instant, id: text.slice(text.indexOf('.') + 1) };
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; null on the last one. */
  readonly nextCursor: string | null;
}

/** A page out of one item more than it may have. */
export function toPage<Item>(
  found: readonly Item[],
  limit: number,
  cursorOf: (item: Item) => Cursor,
): Page<Item> {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : writeCursor(cursorOf(last)) };
}
