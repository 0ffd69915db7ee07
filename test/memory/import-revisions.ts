import { isDeepStrictEqual } from 'node:util';
import { type Environment, ensure, type ImportLine, Refusal, type SignedRevision } from '#core';
import { namesAmong } from './metric-names.ts';
import { countVersion, nameOfPoint, type Store, type StoredPoint } from './store.ts';

type Line = ImportLine & { readonly record: { readonly type: 'revision' } & SignedRevision };

export const isRevision = (line: ImportLine): line is Line => line.record.type === 'revision';

export function* revisionProblems(
  store: Store,
  staged: readonly ImportLine[],
  environments: ReadonlyMap<string, Environment>,
): Generator<[ImportLine, string]> {
  const lines = staged.filter(isRevision);
  for (const [index, line] of lines.entries()) {
    const { record } = line;
    const { revision, signed, metric } = record;
    const environment = environments.get(metric.companyId);
    const others = lines.filter((other) => nameOf(other.record) === nameOf(record));
    const inFile = (number: number) => others.filter((other) => other.record.revision === number);
    const known = storedRevisions(store, record);
    const same = known.find((point) => point.revision === revision);
    const former = [
      ...known.filter((point) => point.revision === revision - 1),
      ...inFile(revision - 1).map((other) => toPoint(store, other.record)),
    ];
    const point = toPoint(store, record);
    const reason = [
      signed !== null && environment !== undefined && signed.environment !== environment
        ? `verification.signature: is of a company of the ${signed.environment} environment`
        : null,
      same !== undefined && !isSameValue(same, point)
        ? `revision: revision ${revision} of this period is another value here`
        : null,
      same !== undefined && !isSameSignature(same, point)
        ? `verification.signature: revision ${revision} of this period is here without this signature`
        : null,
      same === undefined && revision > known.length + 1 && inFile(revision - 1).length === 0
        ? `revision: revision ${revision - 1} of this period is missing`
        : null,
      inFile(revision).some(
        (other) =>
          lines.indexOf(other) < index && !isDeepStrictEqual(toPoint(store, other.record), point),
      )
        ? `revision: revision ${revision} of this period is there twice`
        : null,
      same === undefined && former.some((before) => isSameValue(before, point))
        ? `revision: revision ${revision - 1} of this period is the same value`
        : null,
    ].find((text) => text !== null);
    if (reason !== undefined) yield [line, reason];
  }
}

/** @throws Refusal when one is not what is stored then */
export function applyRevisions(store: Store, lines: readonly ImportLine[], now: Date) {
  registerKeys(store, lines, now);
  const total = { inserted: 0, updated: 0, unchanged: 0, signed: 0, unsigned: 0 };
  const ordered = lines
    .filter(isRevision)
    .toSorted((a, b) => a.record.revision - b.record.revision);
  const seen = new Set<string>();
  let missed = 0;
  for (const { record } of ordered) {
    const known = storedRevisions(store, record);
    const point = toPoint(store, record);
    const same = known.find(({ revision }) => revision === record.revision);
    const name = JSON.stringify([nameOf(record), record.revision]);
    if (same !== undefined) {
      if (!isSameValue(same, point) || !isSameSignature(same, point)) missed += 1;
      else if (!seen.has(name)) total.unchanged += 1;
      seen.add(name);
      continue;
    }
    if (known.length !== record.revision - 1) {
      missed += 1;
      continue;
    }
    seen.add(name);
    const newest = store.points.get(nameOf(record));
    if (newest !== undefined) store.revisions.push(newest);
    store.points.set(nameOf(record), point);
    total[newest === undefined ? 'inserted' : 'updated'] += 1;
    total[point.signed === null ? 'unsigned' : 'signed'] += 1;
    countVersion(store, record.metric.companyId);
  }
  for (const [series, name] of namesAmong(store, lines.filter(isRevision))) {
    const before = store.series.get(series);
    if (isDeepStrictEqual(before, name)) continue;
    store.series.set(series, name);
    if (before !== undefined) total.updated += 1;
  }
  if (missed > 0) {
    const message = 'others have changed the same values meanwhile';
    throw new Refusal('import_conflict', { message });
  }
  return total;
}

function registerKeys({ signingKeys }: Store, lines: readonly ImportLine[], now: Date): void {
  for (const { record } of lines.filter(isRevision)) {
    if (record.signed === null) continue;
    const { kid, x } = record.signed.key;
    const { retiredAt } = signingKeys.getOrInsertComputed(kid, () => ({
      number: signingKeys.size + 1,
      kid,
      x,
      createdAt: now,
      retiredAt: null,
      isImported: true,
    }));
    ensure(
      retiredAt === null,
      'signing_key_conflict',
      `the signing key ${kid} has been retired meanwhile`,
    );
  }
}

/** The name of the value of its period, as the store has it. */
const nameOf = ({ metric }: SignedRevision) => nameOfPoint(metric);

function toPoint(
  { signingKeys }: Store,
  { metric, revision, signed }: SignedRevision,
): StoredPoint {
  const { label: _label, category: _category, unsaid: _unsaid, ...value } = metric;
  if (signed === null) return { ...value, revision, signed };
  const { environment: _environment, key, ...signature } = signed;
  const keyNumber = signingKeys.get(key.kid)?.number ?? 0;
  return { ...value, revision, signed: { ...signature, keyNumber } };
}

const isSameValue = (one: StoredPoint, other: StoredPoint) =>
  isDeepStrictEqual({ ...one, revision: 0, signed: null }, { ...other, revision: 0, signed: null });

const isSameSignature = (stored: StoredPoint, given: StoredPoint) =>
  given.signed === null ||
  (stored.signed !== null &&
    Buffer.from(stored.signed.signature).equals(Buffer.from(given.signed.signature)));

function storedRevisions({ points, revisions }: Store, { metric }: SignedRevision): StoredPoint[] {
  return [...points.values(), ...revisions].filter(
    (point) => nameOfPoint(point) === nameOfPoint(metric),
  );
}
