import { isDeepStrictEqual } from 'node:util';
import {
  type Environment,
  failedStatus,
  type ImportedMetric,
  type ImportLine,
  type ImportRecord,
  type ImportSession,
  type Imports,
  type MetricClaims,
  type MetricName,
  type MetricSignature,
  type StaleCompany,
  sourceStatusAt,
} from '#core';
import { DataChanges } from './data-changes.ts';
import { applyRevisions, isRevision, revisionProblems } from './import-revisions.ts';
import { namesAmong } from './metric-names.ts';
import { isActiveKey, toClaims } from './metric-signatures.ts';
import { createMemoryPush, wholeData } from './push.ts';
import {
  compare,
  countVersion,
  nameOfPoint,
  nameOfSeries,
  type Store,
  type StoredPoint,
} from './store.ts';

type Change = 'inserted' | 'updated' | 'unchanged';

/** The signatures of values, by the line that brings each. */
type Signatures = ReadonlyMap<ImportLine, MetricSignature>;

export function createMemoryImports(store: Store): Imports {
  return {
    async begin(_id, startedAt) {
      const session = createMemorySession(store, startedAt);
      const apply: ImportSession['apply'] = (...options) =>
        store.serially(() => wholeData(store, () => session.apply(...options)));
      return { ...session, apply };
    },
    transact: ({ companyId, startedAt }, work) =>
      createMemoryPush(store, companyId, () => createMemorySession(store, startedAt), work),
    async listUntoldStale({ now, after, limit }) {
      return untoldStale(store, now)
        .map(({ companyId, staleAt }) => ({ companyId, staleAt: staleAt as Date }))
        .toSorted(byTimeAndCompany)
        .filter((one) => after === null || byTimeAndCompany(one, after) > 0)
        .slice(0, limit);
    },
    tellStale: (companyId, now, tell) =>
      store.serially(async () => {
        const sources = untoldStale(store, now).filter((one) => one.companyId === companyId);
        if (sources.length === 0) return 0;
        const dataVersion = `${(store.dataVersions.get(companyId) ?? 0) + 1}`;
        const events = tell({ companyId, dataVersion, sources });
        for (const source of sources) store.toldStale.set(nameOf({ type: 'source', source }), true);
        countVersion(store, companyId);
        store.consents.events.push(...events);
        return sources.length;
      }),
    async forgetKept(now) {
      for (const [name, { expiresAt }] of store.pushes)
        if (expiresAt <= now) store.pushes.delete(name);
    },
  };
}

const untoldStale = (store: Store, now: Date) =>
  [...store.sources.values()].filter(
    (source) =>
      sourceStatusAt(source, now) === 'stale' &&
      !store.toldStale.has(nameOf({ type: 'source', source })),
  );

const byTimeAndCompany = (one: StaleCompany, other: StaleCompany): number =>
  one.staleAt.getTime() - other.staleAt.getTime() || compare(one.companyId, other.companyId);

function createMemorySession(store: Store, startedAt: Date): ImportSession {
  const staged: ImportLine[] = [];
  const idOf = (line: ImportLine) => String(staged.indexOf(line));
  const kept = new Map<string, MetricSignature>();
  let bad: ReadonlySet<ImportLine> = new Set();
  let claimed: ReadonlyMap<ImportLine, MetricClaims> = new Map();
  return {
    async stage(batch) {
      staged.push(...structuredClone(batch));
    },
    async *findProblems(boundTo: string | null = null) {
      const problems = [...problemsOf(store, staged), ...foreignProblems(store, staged, boundTo)];
      bad = new Set(problems.map(([line]) => line));
      for (const [{ line }, reason] of problems.toSorted(([a], [b]) => a.line - b.line)) {
        yield { line, reason };
      }
    },
    async *listChangedValues() {
      claimed = changedValues(store, goodOf(store, staged));
      kept.clear();
      const values = [...claimed].map(([line, claims]) => ({ id: idOf(line), claims }));
      if (values.length > 0) yield values;
    },
    async keepSignatures(signatures) {
      for (const { id, ...signature } of signatures) kept.set(id, signature);
    },
    async apply(signing, tell) {
      const lines = goodOf(store, staged);
      const signatures = new Map<ImportLine, MetricSignature>();
      const changed = changedValues(store, lines);
      if (signing !== undefined && !isActiveKey(store, signing.keyNumber)) return null;
      const unsigned = [...changed].filter(([line, claims]) => {
        const signature = kept.get(idOf(line));
        const holds =
          signature !== undefined &&
          isActiveKey(store, signature.keyNumber) &&
          isDeepStrictEqual(claimed.get(line), claims);
        if (holds) signatures.set(line, signature);
        return !holds;
      });
      if (signing !== undefined) {
        if (unsigned.length > signing.most) return null;
        for (const [line, claims] of unsigned) signatures.set(line, signing.sign(claims));
      }
      const changes = new DataChanges(store);
      const good = staged.filter((line) => !bad.has(line));
      const ofRevisions = changes.seeRevisions(good, () => applyRevisions(store, good, startedAt));
      const counts = applyTo(store, lines, signatures, startedAt, changes);
      if (tell !== undefined) store.consents.events.push(...changes.list().flatMap(tell));
      const { size } = signatures;
      return {
        inserted: ofRevisions.inserted + counts.inserted,
        updated: ofRevisions.updated + counts.updated,
        unchanged: ofRevisions.unchanged + counts.unchanged,
        signed: ofRevisions.signed + size,
        unsigned: ofRevisions.unsigned + changed.size - size,
      };
    },
    async close() {
      staged.length = 0;
    },
  };
}

/** By company: the one that is known, else that of the first line about it. */
function environmentsOf(
  { companies }: Store,
  staged: readonly ImportLine[],
): Map<string, Environment> {
  const environments = new Map(
    [...companies.values()].map((known) => [known.id, known.environment]),
  );
  for (const { record } of staged) {
    if (record.type !== 'company') continue;
    environments.getOrInsert(record.company.id, record.company.environment);
  }
  return environments;
}

function goodOf(store: Store, staged: readonly ImportLine[]): ImportLine[] {
  const bad = problemsOf(store, staged);
  return staged.filter((line) => !bad.has(line));
}

/** What the values that would be inserted or updated would say, by the line that brings each. */
function changedValues(store: Store, lines: readonly ImportLine[]): Map<ImportLine, MetricClaims> {
  const environments = environmentsOf(store, lines);
  const last = new Map(lines.map((line) => [nameOf(line.record), line]));
  const changed = new Map<ImportLine, MetricClaims>();
  for (const [name, line] of last) {
    if (line.record.type !== 'metric') continue;
    const known = store.points.get(name);
    const next = toPoint(line.record.metric, known, null);
    const environment = environments.get(next.companyId);
    if (next !== known && environment !== undefined) {
      changed.set(line, toClaims(next, environment));
    }
  }
  return changed;
}

/** The same one when the metric says what is known already, else its next revision. */
function toPoint(
  { label: _label, category: _category, unsaid: _unsaid, ...value }: ImportedMetric,
  known: StoredPoint | undefined,
  signed: MetricSignature | null,
): StoredPoint {
  // A record may have been read from a store, with a revision of its own.
  const point = { ...value, revision: known?.revision ?? 1, signed: known?.signed ?? null };
  if (known !== undefined && isDeepStrictEqual(known, point)) return known;
  return { ...point, revision: (known?.revision ?? 0) + 1, signed };
}

function problemsOf(store: Store, staged: readonly ImportLine[]): Map<ImportLine, string> {
  const environments = environmentsOf(store, staged);
  const problems = new Map<ImportLine, string>();
  for (const line of staged) {
    const { record } = line;
    if (record.type !== 'company') continue;
    const { id, environment } = record.company;
    const known = environments.get(id);
    if (known !== environment) {
      problems.set(line, `environment: ${id} is of the ${known} environment`);
    }
  }
  for (const line of staged) {
    const id = companyIdOf(line.record);
    if (!environments.has(id)) problems.set(line, `company_id: there is no company ${id}`);
  }
  for (const line of staged) {
    if (line.record.type !== 'portfolio' || problems.has(line)) continue;
    const { investorId, companyId } = line.record.membership;
    const investor = store.investors.get(investorId);
    const environment = environments.get(companyId);
    if (investor === undefined) {
      problems.set(line, `investor_id: there is no investor ${investorId}`);
    } else if (investor.environment !== environment) {
      problems.set(
        line,
        `investor_id: ${investorId} is of the ${investor.environment} environment, ${companyId} of ${environment}`,
      );
    }
  }
  for (const [line, reason] of revisionProblems(store, staged, environments)) {
    if (!problems.has(line)) problems.set(line, reason);
  }
  return problems;
}

/** What another source has brought than the one that a key is bound to. */
function* foreignProblems(
  store: Store,
  staged: readonly ImportLine[],
  boundTo: string | null,
): Generator<[ImportLine, string]> {
  if (boundTo === null) return;
  const why = `so a key that is bound to ${boundTo} cannot change it`;
  for (const line of staged) {
    const { record } = line;
    if (record.type === 'account') {
      const known = store.accounts.get(nameOf(record));
      if (known !== undefined && known.provider !== boundTo) {
        yield [line, `provider: another source has brought the account ${known.id}, ${why}`];
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
      yield [line, `source.system: another source has brought ${what}, ${why}`];
    }
  }
}

function applyTo(
  store: Store,
  lines: readonly ImportLine[],
  signatures: Signatures,
  now: Date,
  changes: DataChanges,
): Record<Change, number> {
  const plain = lines.filter((line) => !isRevision(line));
  const lastOfEach = new Map(plain.map((line) => [nameOf(line.record), line]));
  const lastOfSeries = new Map(plain.map(({ record }) => [seriesOf(record), record]));
  const names = namesAmong(store, plain);
  const counts = { inserted: 0, updated: 0, unchanged: 0 };
  for (const [name, line] of lastOfEach) {
    const { record } = line;
    const namesSeries = lastOfSeries.get(seriesOf(record)) === record;
    const former = {
      hasFailed: store.sources.get(name)?.status === failedStatus,
      isStale: store.toldStale.has(name),
    };
    const named = namesSeries ? names.get(seriesOf(record)) : undefined;
    const change = put(store, name, record, named, signatures.get(line) ?? null, now);
    counts[change] += 1;
    if (change !== 'unchanged' && record.type !== 'company' && record.type !== 'portfolio') {
      countVersion(store, companyIdOf(record));
      changes.add(record, former, now);
      if (record.type === 'source' && sourceStatusAt(record.source, now) !== 'stale') {
        store.toldStale.delete(name);
      }
    }
  }
  return counts;
}

function put(
  store: Store,
  name: string,
  record: ImportRecord,
  named: MetricName | undefined,
  signature: MetricSignature | null,
  now: Date,
): Change {
  switch (record.type) {
    case 'company': {
      const { createdAt = now, suspendedAt = null } = store.companies.get(record.company.id) ?? {};
      const company = { ...record.company, createdAt, suspendedAt };
      return write(store.companies, company.id, company);
    }
    case 'metric': {
      const known = store.points.get(name);
      const change = write(store.points, name, toPoint(record.metric, known, signature));
      if (change === 'updated' && known !== undefined) store.revisions.push(known);
      if (named === undefined) return change;
      const renamed = write(store.series, seriesOf(record), named);
      return change === 'unchanged' ? renamed : change;
    }
    case 'source':
      return write(store.sources, name, record.source);
    case 'account':
      return write(store.accounts, name, record.account);
    case 'portfolio': {
      const { investorId, companyId } = record.membership;
      const portfolio = store.portfolios.getOrInsertComputed(investorId, () => new Map());
      if (portfolio.has(companyId)) return 'unchanged';
      portfolio.set(companyId, now);
      return 'inserted';
    }
    case 'revision':
      throw new Error('revisions are applied by themselves');
  }
}

function write<T>(map: Map<string, T>, name: string, value: T): Change {
  const known = map.get(name);
  if (isDeepStrictEqual(known, value)) return 'unchanged';
  map.set(name, value);
  return known === undefined ? 'inserted' : 'updated';
}

/** What tells one thing from another; two lines with the same name are about the same thing. */
const nameOf = (record: ImportRecord): string =>
  record.type === 'metric'
    ? nameOfPoint(record.metric)
    : JSON.stringify([record.type, ...identityOf(record)]);

/** The company, and what tells the thing from others of its kind there. */
function identityOf(record: ImportRecord): [companyId: string, ...unknown[]] {
  switch (record.type) {
    case 'company':
      return [record.company.id];
    case 'metric':
      return [record.metric.companyId];
    case 'revision':
      return [record.metric.companyId, record.metric.key, record.metric.period, record.revision];
    case 'source':
      return [record.source.companyId, record.source.provider, record.source.accountName];
    case 'account':
      return [record.account.companyId, record.account.id];
    case 'portfolio':
      return [record.membership.companyId, record.membership.investorId];
  }
}

const companyIdOf = (record: ImportRecord): string => identityOf(record)[0];

/** The metric that a record is about, whatever the period; nothing for other records. */
const seriesOf = (record: ImportRecord): string =>
  'metric' in record ? nameOfSeries(record.metric) : '';
