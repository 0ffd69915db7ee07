import type { ImportSession, PushTransaction } from '#core';
import { type Store, whole } from './store.ts';

/** All that the work changes of the data of companies stays, or, when it rejects, nothing. */
export async function wholeData<T>(store: Store, work: () => Promise<T>): Promise<T> {
  const { points, series, sources, accounts, dataVersions, pushes, revisions, toldStale } = store;
  const replaced = revisions.length;
  const told = store.consents.events.length;
  try {
    return await whole(
      [points, series, sources, accounts, dataVersions, pushes, toldStale, store.companies],
      work,
    );
  } catch (error) {
    revisions.length = replaced;
    store.consents.events.length = told;
    throw error;
  }
}

/** Runs the work on a session of its own: all that it has changed stays, or, when it rejects, nothing. */
export function createMemoryPush<T>(
  store: Store,
  companyId: string,
  begin: () => ImportSession,
  work: (transaction: PushTransaction) => Promise<T>,
): Promise<T> {
  const { dataVersions, pushes } = store;
  const nameOf = (key: string) => JSON.stringify([companyId, key]);
  return store.serially(() => {
    const { stage, findProblems, apply } = begin();
    return wholeData(store, () =>
      work({
        stage,
        findProblems,
        apply,
        readVersion: async () => `${dataVersions.get(companyId) ?? 0}`,
        async findKept(key, now) {
          const kept = pushes.get(nameOf(key));
          return kept !== undefined && kept.expiresAt > now ? structuredClone(kept) : null;
        },
        async keep(push) {
          pushes.set(nameOf(push.key), structuredClone(push));
        },
      }),
    );
  });
}
