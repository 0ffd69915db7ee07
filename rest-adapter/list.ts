import { z } from 'zod';

/** The envelope of every list. Phase 1 has no pages: all there is comes at once. */
export function listSchema<T extends z.ZodType>(item: T, id: string, itemName: string) {
  return z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      has_more: z.literal(false),
      url: z.string().meta({ description: 'Path of this list.' }),
      next_cursor: z.null(),
    })
    .meta({ id, description: `All ${itemName}, in one list.` });
}

/** @param data an array, or an iterator, which is written bit by bit */
export function presentList<List>(data: List, url: string) {
  return { object: 'list' as const, data, has_more: false as const, url, next_cursor: null };
}
