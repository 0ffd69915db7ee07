import { loadData, type Reading } from '#core';

type Loading<UseCases> = {
  [Name in keyof UseCases]: UseCases[Name] extends (
    ...given: infer Given
  ) => Promise<Reading<infer Data>>
    ? (...given: Given) => Promise<Data>
    : UseCases[Name] extends (...given: infer Given) => AsyncGenerator<infer Item, infer Returned>
      ? (...given: Given) => AsyncGenerator<Loaded<Item>, Returned>
      : UseCases[Name];
};

type Loaded<Item> = Item extends { readonly history: Reading<infer Data> }
  ? { readonly history: Data }
  : Item;

const reads =
  /^read(?:Own)?(?:LatestMetrics?|Metric(?:s|History|Histories|Revisions)|Sources|Accounts)$/;

/** Reads of company data return the data instead of a `Reading`. */
export function loadingReads<UseCases extends object>(useCases: UseCases): Loading<UseCases> {
  const entries = Object.entries(useCases as Record<string, (...given: unknown[]) => unknown>);
  return Object.fromEntries(
    entries.map(([name, useCase]) => {
      if (name === 'walkMetricHistories') return [name, loadingWalk(useCase)];
      if (!reads.test(name)) return [name, useCase];
      return [
        name,
        async (...given: unknown[]) => loadData((await useCase(...given)) as Reading<unknown>),
      ];
    }),
  ) as unknown as Loading<UseCases>;
}

const loadingWalk = (walk: (...given: unknown[]) => unknown) =>
  async function* (...given: unknown[]) {
    const walked = walk(...given) as AsyncIterable<{ readonly history?: Reading<unknown> }>;
    for await (const item of walked)
      yield item.history === undefined ? item : { history: await item.history.load() };
  };

export const readingOf = <Data>(data: Data, more: Partial<Reading<Data>> = {}): Reading<Data> => ({
  name: 'reading',
  resource: 'metrics',
  hasUnlimitedVariants: false,
  load: async () => data,
  loadBeforeCommit: async () => data,
  resolveAfterCommit: (value) => value,
  ...more,
});
