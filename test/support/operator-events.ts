import type { FeedEvent, OperatorUseCases } from '#core';

export async function allEvents({
  listAccessEvents,
}: Pick<OperatorUseCases, 'listAccessEvents'>): Promise<FeedEvent[]> {
  const all: FeedEvent[] = [];
  for (;;) {
    const { events, hasMore } = await listAccessEvents({ after: all.at(-1)?.id, limit: 1000 });
    all.push(...events);
    if (!hasMore) return all;
  }
}
