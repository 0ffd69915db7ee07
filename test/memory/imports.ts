import { isDeepStrictEqual } from 'node:util';
import type { ImportCounts, ImportLine, ImportRecord, Imports } from '#core';
import { nameOfSeries, type Store } from './store.ts';

type Change = keyof ImportCounts;

export function createMemoryImports(store: Store): Imports {
  return {
    async begin(_id, startedAt) {
      const staged: ImportLine[] = [];
      return {
        async stage(batch) {
          staged.push(...structuredClone(batch));
        },
        async *findProblems() {
          const problems = [...problemsOf(store, staged)];
          for (const [{ line }, reason] of problems.toSorted(([a], [b]) => a.line - b.line)) {
            yield { line, reason };
          }
        },
        async apply() {
          const bad = problemsOf(store, staged);
          const good = staged.filter((line) => !bad.has(line));
          return applyTo(store, good, startedAt);
        },
        async close() {
          staged.length = 0;
        },
      };
    },
  };
}

function problemsOf({ companies }: Store, staged: readonly ImportLine[]): Map<ImportLine, string> {
  const environments = new Map(
    [...companies.values()].map((known) => [known.id, known.environment]),
  );
  const problems = new Map<ImportLine, string>();
  for (const line of staged) {
    const { record } = line;
    if (record.type !== 'company') continue;
    const { id, environment } = record.company;
    const known = environments.get(id);
    if (known === undefined) environments.set(id, environment);
    else if (known !== environment) {
      problems.set(line, `environment: ${id} is of the ${known} environment`);
    }
  }
  for (const line of staged) {
    const id = companyIdOf(line.record);
    if (!environments.has(id)) problems.set(line, `company_id: there is no company ${id}`);
  }
  return problems;
}

function applyTo(store: Store, lines: readonly ImportLine[], now: Date): ImportCounts {
  const records = lines.map(({ record }) => record);
  const lastOfEach = new Map(records.map((record) => [nameOf(record), record]));
  const lastOfSeries = new Map(records.map((record) => [seriesOf(record), record]));
  const counts = { inserted: 0, updated: 0, unchanged: 0 };
  for (const [name, record] of lastOfEach) {
    const namesSeries = lastOfSeries.get(seriesOf(record)) === record;
    const change = put(store, name, record, namesSeries, now);
    counts[change] += 1;
    if (change !== 'unchanged' && record.type !== 'company') {
      const companyId = companyIdOf(record);
      store.dataVersions.set(companyId, (store.dataVersions.get(companyId) ?? 0) + 1);
    }
  }
  return counts;
}

function put(
  store: Store,
  name: string,
  record: ImportRecord,
  namesSeries: boolean,
  now: Date,
): Change {
  switch (record.type) {
    case 'company': {
      const createdAt = store.companies.get(record.company.id)?.createdAt ?? now;
      return write(store.companies, record.company.id, { ...record.company, createdAt });
    }
    case 'metric': {
      const { label, category, ...point } = record.metric;
      const change = write(store.points, name, point);
      if (!namesSeries) return change;
      const renamed = write(store.series, seriesOf(record), { label, category });
      return change === 'unchanged' ? renamed : change;
    }
    case 'source':
      return write(store.sources, name, record.source);
    case 'account':
      return write(store.accounts, name, record.account);
  }
}

function write<T>(map: Map<string, T>, name: string, value: T): Change {
  const known = map.get(name);
  if (isDeepStrictEqual(known, value)) return 'unchanged';
  map.set(name, value);
  return known === undefined ? 'inserted' : 'updated';
}

/** What tells one thing from another; two lines with the same name are about the same thing. */
function nameOf(record: ImportRecord): string {
  switch (record.type) {
    case 'company':
      return JSON.stringify([record.type, record.company.id]);
    case 'metric':
      return JSON.stringify([seriesOf(record), record.metric.period]);
    case 'source':
      return JSON.stringify([
        record.type,
        record.source.companyId,
        record.source.provider,
        record.source.accountName,
      ]);
    case 'account':
      return JSON.stringify([record.type, record.account.companyId, record.account.id]);
  }
}

/** The metric that a record is about, whatever the period; nothing for other records. */
function seriesOf(record: ImportRecord): string {
  return record.type === 'metric' ? nameOfSeries(record.metric) : '';
}

function companyIdOf(record: ImportRecord): string {
  switch (record.type) {
    case 'company':
      return record.company.id;
    case 'metric':
      return record.metric.companyId;
    case 'source':
      return record.source.companyId;
    case 'account':
      return record.account.companyId;
  }
}
