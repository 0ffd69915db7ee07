import { isDeepStrictEqual } from 'node:util';
import {
  type ApplyOptions,
  type CompanyMetricPeriod,
  companyIdOf,
  ensure,
  failedStatus,
  type ImportCounts,
  type ImportedRevision,
  type ImportLine,
  type ImportRecord,
  type Imports,
  type MetricRevision,
  type MetricSignature,
  type PushTransaction,
  requireNotErased,
  type StaleCompany,
  sourceStatusAt,
} from '#core';
import { checkCredential } from './acting-credentials.ts';
import { DataChanges } from './data-changes.ts';
import { namesAmong } from './metric-names.ts';
import { isActiveKey, toClaims } from './metric-signatures.ts';
import { logChange as log } from './settings-changes.ts';
import {
  compare,
  countVersion,
  mustExist,
  nameOfPoint,
  nameOfSeries,
  type Store,
  type StoredPoint,
  whole,
} from './store.ts';

export function createMemoryImports(store: Store): Imports {
  const { pushes } = store;
  return {
    transact: ({ companyId, credential, startedAt, isOfOperator = false }, work) =>
      store.serially(async () => {
        checkCredential(store, credential);
        const company = isOfOperator ? store.companies.get(companyId) : undefined;
        if (company !== undefined) requireNotErased(company);
        return wholeData(store, () => work(createMemoryPush(store, companyId, startedAt)));
      }),
    async listUnreportedStale({ now, after, limit }) {
      return untoldStale(store, now)
        .map(({ companyId, staleAt }) => ({ companyId, staleAt: staleAt as Date }))
        .toSorted(byTimeAndCompany)
        .filter((one) => after === null || byTimeAndCompany(one, after) > 0)
        .slice(0, limit);
    },
    writeStaleEvents: (companyId, now, createEvents) =>
      store.serially(async () => {
        const sources = untoldStale(store, now).filter((one) => one.companyId === companyId);
        if (sources.length === 0) return 0;
        const dataVersion = `${(store.dataVersions.get(companyId) ?? 0) + 1}`;
        const events = createEvents({ companyId, dataVersion, sources });
        for (const source of sources) store.toldStale.set(nameOf({ type: 'source', source }), true);
        countVersion(store, companyId);
        store.consents.events.push(...events);
        return sources.length;
      }),
    async deleteExpiredPushes(now) {
      for (const [name, { expiresAt }] of pushes) if (expiresAt <= now) pushes.delete(name);
    },
    async deletePushes(done) {
      for (const { companyId, key } of done) pushes.delete(nameOfPush(companyId, key));
    },
  };
}

const nameOfPush = (companyId: string, key: string) => JSON.stringify([companyId, key]);

/** Restores all data of companies if the work rejects. */
async function wholeData<T>(store: Store, work: () => Promise<T>): Promise<T> {
  const { points, series, sources, accounts, dataVersions, pushes, revisions, toldStale } = store;
  const { settingsChanges, companies, portfolios, signingKeys } = store;
  const ofData = [points, series, sources, accounts, dataVersions, pushes, toldStale];
  const replaced = revisions.length;
  const told = store.consents.events.length;
  try {
    return await whole([...ofData, companies, settingsChanges, portfolios, signingKeys], work);
  } catch (error) {
    revisions.length = replaced;
    store.consents.events.length = told;
    throw error;
  }
}

const untoldStale = (store: Store, now: Date) =>
  [...store.sources.values()].filter(
    (source) =>
      sourceStatusAt(source, now) === 'stale' &&
      !store.toldStale.has(nameOf({ type: 'source', source })),
  );

const byTimeAndCompany = (one: StaleCompany, other: StaleCompany): number =>
  one.staleAt.getTime() - other.staleAt.getTime() || compare(one.companyId, other.companyId);

function findLatestRevisions(
  store: Store,
  places: readonly CompanyMetricPeriod[],
): readonly MetricRevision[] {
  return [...new Set(places.map(nameOfPoint))].flatMap((name) => {
    const stored = store.points.get(name);
    return stored === undefined ? [] : [toRevision(store, stored)];
  });
}

function createMemoryPush(store: Store, companyId: string, now: Date): PushTransaction {
  const { dataVersions, pushes } = store;
  return {
    findLatestRevisions: async (places) => findLatestRevisions(store, places),
    async findRevisions(places) {
      const stored = [...store.points.values(), ...store.revisions];
      const nameOf = (at: Pick<StoredPoint, 'companyId' | 'key' | 'period' | 'revision'>) =>
        JSON.stringify([nameOfPoint(at), at.revision]);
      const asked = new Set(places.map((place) => nameOf({ ...place, companyId })));
      return stored
        .filter((point) => asked.has(nameOf(point)))
        .map((point) => ({
          metric: toRevision(store, point),
          signature: point.signed?.signature ?? null,
        }));
    },
    findForeign: async (lines, boundTo) => [...foreignProblems(store, lines, boundTo)],
    apply: async (lines, options = {}) => apply(store, structuredClone(lines), now, options),
    readVersion: async () => `${dataVersions.get(companyId) ?? 0}`,
    async findStoredPush(key, now) {
      const kept = pushes.get(nameOfPush(companyId, key));
      return kept !== undefined && kept.expiresAt > now ? structuredClone(kept) : null;
    },
    async storePush(push) {
      pushes.set(nameOfPush(companyId, push.key), structuredClone(push));
    },
    log: async (entry) => log(store, entry),
  };
}

function toRevision(
  { series }: Store,
  { signed: _, entryId: _entry, ...point }: StoredPoint,
): MetricRevision {
  return structuredClone({ ...point, ...mustExist(series.get(nameOfSeries(point)), point.key) });
}

const rankOf = ({ type, ...record }: ImportRecord): number => {
  if (type === 'company') return 0;
  return 'revision' in record ? record.revision : Number.POSITIVE_INFINITY;
};

function apply(
  store: Store,
  lines: readonly ImportLine[],
  now: Date,
  { signing, createEvents, entryId = null }: ApplyOptions,
): ImportCounts | null {
  const counts = { inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 };
  const changes = new DataChanges(store);
  const names = namesAmong(store, lines);
  const lastOfSeries = new Map(lines.map(({ record }) => [seriesOf(record), record]));
  const ordered = lines.map(({ record }) => record).toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const record of ordered) {
    const former = formerOf(store, record);
    let change: Change;
    let isCorrected = false;
    let isRenamed = false;
    if (record.type === 'metric' || record.type === 'revision') {
      const next = toNext(store, record, now, entryId);
      if (record.type === 'metric' && next !== null && signing !== undefined) {
        if (!isActiveKey(store, signing.keyNumber)) return null;
        const { environment } = mustExist(store.companies.get(next.companyId), next.companyId);
        next.signed = signing.sign(toClaims(next, environment));
      }
      if (next !== null) counts[next.signed === null ? 'unsigned' : 'signed'] += 1;
      change = next === null ? 'unchanged' : replace(store, next);
      isCorrected = (next?.revision ?? 0) > 1;
      const series = seriesOf(record);
      const isLast = lastOfSeries.get(series) === record;
      const named = isLast && write(store.series, series, mustExist(names.get(series), series));
      isRenamed = named === 'updated';
      if (change === 'unchanged' && isRenamed) change = 'updated';
    } else {
      change = put(store, record, now);
    }
    counts[change] += 1;
    if (change === 'unchanged' || record.type === 'company' || record.type === 'portfolio')
      continue;
    countVersion(store, companyIdOf(record));
    changes.add(record, { ...former, isCorrected, isRenamed }, now);
    if (record.type === 'source' && sourceStatusAt(record.source, now) !== 'stale') {
      store.toldStale.delete(nameOf(record));
    }
  }
  if (createEvents !== undefined)
    store.consents.events.push(...changes.list().flatMap(createEvents));
  return counts;
}

type Change = 'inserted' | 'updated' | 'unchanged';

const formerOf = (store: Store, record: ImportRecord) => ({
  hasFailed: store.sources.get(nameOf(record))?.status === failedStatus,
  isStale: store.toldStale.has(nameOf(record)),
});

type Value = Extract<ImportRecord, { readonly type: 'metric' | 'revision' }>;

/** Returns the value as its next revision, or null if it is already stored. */
function toNext(
  store: Store,
  record: Value,
  now: Date,
  entryId: string | null,
): (StoredPoint & { signed: MetricSignature | null }) | null {
  const {
    label: _label,
    category: _category,
    defaultedFields: _defaultedFields,
    ...value
  } = record.metric;
  // Removes the revision number of a record that was read from a store.
  const { revision: _revision, ...content } = value as ImportedRevision & { revision?: number };
  const known = store.points.get(nameOfPoint(content));
  const number = known?.revision ?? 0;
  const entry = entryId !== null && { entryId };
  if (record.type === 'revision') {
    const signed = record.signed && registered(store, record.signed, now);
    return record.revision <= number
      ? null
      : ({ ...content, ...entry, revision: record.revision, signed } as never);
  }
  const { revision: _, signed: _signed, entryId: _entry, ...stored } = known ?? ({} as StoredPoint);
  if (known !== undefined && isDeepStrictEqual(stored, content)) return null;
  return { ...content, ...entry, revision: number + 1, signed: null } as never;
}

function registered(
  { signingKeys }: Store,
  { key, signedAt, signature }: NonNullable<Extract<Value, { type: 'revision' }>['signed']>,
  now: Date,
): MetricSignature {
  const { number, retiredAt } = signingKeys.getOrInsertComputed(key.kid, () => ({
    ...{ number: signingKeys.size + 1, kid: key.kid, x: key.x },
    ...{ createdAt: now, signsAt: now, retiredAt: null, isImported: true },
  }));
  const message = `the signing key ${key.kid} has been retired meanwhile`;
  ensure(retiredAt === null, 'signing_key_conflict', message);
  return { signedAt, signature, keyNumber: number };
}

function replace(store: Store, next: StoredPoint): Change {
  const known = store.points.get(nameOfPoint(next));
  if (known !== undefined) store.revisions.push(known);
  store.points.set(nameOfPoint(next), next);
  return known === undefined ? 'inserted' : 'updated';
}

/** Reports records whose stored data comes from another source than the one that the key is bound to. */
function* foreignProblems(store: Store, lines: readonly ImportLine[], boundTo: string) {
  const why = `comes from another source, so a key that is bound to ${boundTo} cannot change it`;
  for (const { line, record } of lines) {
    if (record.type === 'account') {
      const known = store.accounts.get(nameOf(record));
      if (known !== undefined && known.provider !== boundTo) {
        const reason = `provider: the account ${known.id} ${why}`;
        yield { line, reason };
      }
    }
    if (!('metric' in record)) continue;
    const own = [...store.points.values()].filter(
      (point) => nameOfSeries(point) === nameOfSeries(record.metric),
    );
    const present = own.toSorted((one, other) => (one.period < other.period ? 1 : -1))[0];
    const same = own.find(({ period }) => period === record.metric.period);
    const isOther = (point: StoredPoint | undefined) =>
      point !== undefined && point.source.system !== boundTo;
    const what = isOther(present) ? record.metric.key : 'the value of this period';
    if (isOther(present) || isOther(same)) {
      yield { line, reason: `source.system: ${what} ${why}` };
    }
  }
}

function put(store: Store, record: Exclude<ImportRecord, Value>, now: Date): Change {
  switch (record.type) {
    case 'company': {
      const { createdAt = now, suspendedAt = null } = store.companies.get(record.company.id) ?? {};
      const company = { ...record.company, createdAt, suspendedAt };
      return write(store.companies, company.id, company);
    }
    case 'source':
      return write(store.sources, nameOf(record), record.source);
    case 'account':
      return write(store.accounts, nameOf(record), record.account);
    case 'portfolio': {
      const { investorId, companyId } = record.membership;
      const portfolio = store.portfolios.getOrInsertComputed(investorId, () => new Map());
      if (portfolio.has(companyId)) return 'unchanged';
      portfolio.set(companyId, now);
      return 'inserted';
    }
  }
}

function write<T>(map: Map<string, T>, name: string, value: T): Change {
  const known = map.get(name);
  if (isDeepStrictEqual(known, value)) return 'unchanged';
  map.set(name, value);
  return known === undefined ? 'inserted' : 'updated';
}

function nameOf(record: ImportRecord): string {
  const { type } = record;
  if (type === 'account')
    return JSON.stringify([type, record.account.companyId, record.account.id]);
  if (type !== 'source') return '';
  const { companyId, provider, accountName } = record.source;
  return JSON.stringify([type, companyId, provider, accountName]);
}

/** The metric that a record is about, for all periods. Empty for other records. */
const seriesOf = (record: ImportRecord): string =>
  'metric' in record ? nameOfSeries(record.metric) : '';
