import { type Columns, followedBy, renderTable } from './table.ts';

/** Shows all fields of a thing as JSON, and some of them as a table. */
export interface View<Thing, Json> {
  json(thing: Thing): Json;
  readonly columns: Columns<Json>;
  /** The text to show instead of an empty table. */
  readonly none?: string;
}

export const view = <Thing, Json>(definition: View<Thing, Json>): View<Thing, Json> => definition;

export function showOne<Thing, Json>({ json, columns }: View<Thing, Json>, thing: Thing) {
  const shown = json(thing);
  return { json: shown, text: renderTable(columns, [shown]) };
}

/** @param more the line below a table if the list has further items */
export function showAll<Thing, Json>(
  { json, columns, none }: View<Thing, Json>,
  things: readonly Thing[],
  { hasMore = false, more }: { readonly hasMore?: boolean; readonly more?: string } = {},
) {
  const shown = things.map(json);
  const table = renderTable(columns, shown, none);
  return {
    json: toList(shown, hasMore),
    text: hasMore && more !== undefined ? followedBy(table, more) : table,
  };
}

/** Returns the same list format as REST. */
export function toList<T>(data: readonly T[], hasMore = false) {
  return { object: 'list', data, has_more: hasMore } as const;
}
