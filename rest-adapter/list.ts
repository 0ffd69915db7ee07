import { z } from 'zod';

const url = z.string().meta({ description: 'Path of this list.' });

/** The format of a list without pages. */
export function listSchema<T extends z.ZodType>(item: T, id: string, itemName: string) {
  return z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      has_more: z.literal(false),
      url,
      next_cursor: z.null(),
    })
    .meta({ id, description: `All ${itemName}, in one list.` });
}

/** @param data an array, or an iterator whose items are written one at a time */
export function presentList<List>(data: List, path: string) {
  return { object: 'list' as const, data, has_more: false as const, url: path, next_cursor: null };
}

export function pageSchema<T extends z.ZodType>(item: T, id: string, itemName: string) {
  return z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      has_more: z.boolean().meta({ description: 'True if there is a next page.' }),
      url,
      next_cursor: z
        .string()
        .nullable()
        .meta({ description: 'The `cursor` of the next page. Null on the last page.' }),
    })
    .meta({ id, description: `A page of the ${itemName}.` });
}

export function presentPage<Item>(
  data: readonly Item[],
  path: string,
  nextCursor: string | null,
): z.output<ReturnType<typeof pageSchema<z.ZodType<Item>>>> {
  return {
    object: 'list',
    data: [...data],
    has_more: nextCursor !== null,
    url: path,
    next_cursor: nextCursor,
  };
}
