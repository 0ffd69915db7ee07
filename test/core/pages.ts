import type { EventPage, Page } from '#core';

export async function pagesOf<Item>(
  read: (cursor: string | null) => Promise<Page<Item>>,
  betweenPages: () => Promise<unknown> = async () => undefined,
): Promise<(readonly Item[])[]> {
  const pages: (readonly Item[])[] = [];
  for (let cursor: string | null = null; ; ) {
    const { items, nextCursor }: Page<Item> = await read(cursor);
    pages.push(items);
    if (nextCursor === null) return pages;
    cursor = nextCursor;
    await betweenPages();
  }
}

/** Reads all pages of a feed. Each page begins after the last event of the previous page. */
export async function eventPagesOf(
  read: (after: string | null) => Promise<EventPage>,
): Promise<EventPage['events'][]> {
  const pages: EventPage['events'][] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await read(pages.at(-1)?.at(-1)?.id ?? null);
    pages.push(page.events);
    hasMore = page.hasMore;
  }
  return pages;
}
