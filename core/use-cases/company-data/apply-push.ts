import {
  findExcess,
  type LimitedKind,
  limitedItemOf,
  maxPerCompany,
} from '../../model/company-data/data-limits.ts';
import { lastOfEach } from '../../model/company-data/last-of-each.ts';
import { AccessError, type NumberedProblem, Refusal } from '../../model/errors.ts';
import { createDataEvents } from '../../model/events/data-event.ts';
import { changesOfEntry, type SettingsChange } from '../../model/identity/settings-change.ts';
import { addDays } from '../../model/time.ts';
import type {
  CreateChangeEvents,
  ImportCounts,
  ImportLine,
  Imports,
  PushResult,
  PushSigning,
  PushTransaction,
  StoredPush,
} from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import {
  type CheckedRecords,
  type CompletedPush,
  completePush,
  type PushOrigin,
} from './check-pushed.ts';
import { signWith } from './sign-metrics.ts';

/** The maximum number of reported problems. A program with more problems usually repeats one of them. */
const maxReportedProblems = 100;

const daysKept = 1;

/** The signing key can be retired before the transaction locks it, so a push may need another attempt. */
const attempts = 3;

export interface Push extends PushOrigin, Omit<Parameters<Imports['transact']>[0], 'startedAt'> {
  readonly idempotency: Pick<StoredPush, 'key' | 'fingerprint'> | null;
  /** The data versions that the push is based on. Each must be the current version. */
  readonly versions: readonly string[];
  /** The entry of the settings log with the person who changes the data. Null for a program. */
  readonly entry: SettingsChange | null;
}

interface Pushed extends PushResult, Pick<ImportCounts, 'signed' | 'unsigned'> {
  readonly replayed: boolean;
}

/**
 * Stores the checked records in one transaction. If one record can't be stored, none is stored. Every change to a
 * company's metrics, sources and accounts goes through this function, imports included.
 *
 * @throws AccessError `invalid_records`, `idempotency_key_reused`, and Refusal `data_changed`
 */
export async function applyPush(
  ports: Ports,
  push: Push,
  checked: CheckedRecords,
): Promise<Pushed> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      return await tryPush(ports, push, checked);
    } catch (error) {
      if (!(error instanceof Refusal && error.code === 'signing_key_conflict')) throw error;
      await ports.signer.reload();
    }
  }
  throw new AccessError('service_unavailable');
}

/** @throws Refusal `signing_key_conflict` if the signing key was retired meanwhile */
async function tryPush(ports: Ports, push: Push, checked: CheckedRecords): Promise<Pushed> {
  const { clock, imports } = ports;
  const { idempotency, versions } = push;
  const signing = await signingOf(ports);
  return imports.transact({ ...push, startedAt: clock.now() }, async (transaction) => {
    if (idempotency !== null) {
      const stored = await transaction.findStoredPush(idempotency.key, clock.now());
      if (stored !== null) {
        if (stored.fingerprint !== idempotency.fingerprint) {
          throw new AccessError('idempotency_key_reused');
        }
        return { ...stored.result, signed: 0, unsigned: 0, replayed: true };
      }
    }
    for (const version of versions) {
      if (version !== (await transaction.readVersion())) throw new Refusal('data_changed');
    }
    const { signed, unsigned, ...counts } = await apply(ports, push, transaction, checked, signing);
    const result = { ...counts, dataVersion: await transaction.readVersion() };
    if (idempotency !== null) {
      const pushedAt = clock.now();
      const expiresAt = addDays(pushedAt, daysKept);
      await transaction.storePush({ ...idempotency, result, pushedAt, expiresAt });
    }
    return { ...result, signed, unsigned, replayed: false };
  });
}

export const messageOfExcess = (companyId: string, kind: LimitedKind): string =>
  `${companyId} would have more than ${maxPerCompany[kind]} ${kind}`;

export class ExcessOfData extends Refusal {
  readonly kind: LimitedKind;
  /** The names of the new items, as `limitedItemOf` returns them. */
  readonly added: ReadonlySet<string>;

  constructor(companyId: string, kind: LimitedKind, added: readonly string[]) {
    super('invalid_records', { message: messageOfExcess(companyId, kind) });
    this.kind = kind;
    this.added = new Set(added);
  }
}

/** Rolls back the transaction of a dry run. Carries the result of the dry run. */
class Rehearsed extends Error {
  readonly result: Pushed;

  constructor(result: Pushed) {
    super();
    this.result = result;
  }
}

export async function simulatePush(
  ports: Ports,
  push: Push,
  checked: CheckedRecords,
): Promise<Pushed> {
  const { clock, imports } = ports;
  try {
    return await imports.transact({ ...push, startedAt: clock.now() }, async (transaction) => {
      const dataVersion = await transaction.readVersion();
      const counts = await apply(ports, push, transaction, checked);
      throw new Rehearsed({ ...counts, dataVersion, replayed: false });
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.result;
    throw error;
  }
}

async function apply(
  { clock, ids }: Ports,
  push: Push,
  transaction: PushTransaction,
  checked: CheckedRecords,
  signing?: PushSigning,
): Promise<Omit<Pushed, 'dataVersion' | 'replayed'>> {
  const ready = await completePush(transaction, push, checked);
  if (ready.problems.length > 0) throw invalidRecords(ready.problems);
  const metricKeys: string[] = [];
  const createEvents: CreateChangeEvents = (change) => {
    metricKeys.push(...change.metricKeys);
    const excess = findExcess(change);
    if (excess !== null) throw new ExcessOfData(push.companyId, excess, change.added[excess]);
    return createDataEvents(change, () => ids.next('evt'), clock.now());
  };
  const { entry } = push;
  const options = { signing, createEvents, entryId: entry?.id ?? null };
  const counts = await transaction.apply(lastOfEach(ready.lines), options).catch((error) => {
    throw error instanceof ExcessOfData ? invalidRecords([problemOfExcess(error, ready)]) : error;
  });
  if (counts === null) throw new Refusal('signing_key_conflict');
  const { inserted: created, updated: revised, ...more } = counts;
  if (entry !== null && created + revised > 0) {
    const { voided } = ready;
    const changes = changesOfEntry({ created, revised: revised - voided, voided, metricKeys });
    await transaction.log({ ...entry, changes: { ...entry.changes, ...changes } });
  }
  return { created, revised, ...more };
}

function problemOfExcess(
  { kind, added, message }: ExcessOfData,
  { lines }: CompletedPush,
): NumberedProblem {
  const last = lines.findLast(({ record }) => {
    const about = limitedItemOf(record);
    return about?.kind === kind && added.has(about.name);
  }) as ImportLine;
  return { record: last.line, param: null, message };
}

function invalidRecords(problems: readonly NumberedProblem[]): AccessError {
  const badRecords = new Set(problems.map(({ record }) => record)).size;
  const [first] = problems as [NumberedProblem];
  const paramText = first.param === null ? '' : `, ${first.param}`;
  return new AccessError('invalid_records', {
    message: `${badRecords === 1 ? '1 record' : `${badRecords} records`} can't be stored, so nothing was changed. The first: record ${first.record}${paramText}: ${first.message}.`,
    details: { records: problems.slice(0, maxReportedProblems), badRecords },
  });
}

/** Returns undefined if there is no signing key. Values then stay unsigned. */
async function signingOf(ports: Ports): Promise<PushSigning | undefined> {
  const identity = await ports.signer.current();
  return identity === null
    ? undefined
    : { keyNumber: identity.keyNumber, sign: signWith(ports, identity) };
}
