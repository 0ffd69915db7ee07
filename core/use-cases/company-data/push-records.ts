import { z } from 'zod';
import {
  notJson,
  parseImportRecord,
  problemOf,
  type RecordProblem,
} from '../../model/company-data/import-line.ts';
import type { LineRecord } from '../../model/company-data/import-record.ts';
import { signMetric } from '../../model/company-data/metric-payload.ts';
import { AccessError, type NumberedProblem, Refusal } from '../../model/errors.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { idempotencyKeyInput, parseInput } from '../../model/input.ts';
import { addDays } from '../../model/time.ts';
import type {
  ImportLine,
  KeptPush,
  LastSigning,
  PushResult,
  PushTransaction,
} from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { createRecordCheck } from './check-record.ts';
import { tellChanges } from './tell-changes.ts';

export const maxPushedRecords = 1_000;

/** So many problems are told; a program that makes more has one that it makes again and again. */
export const maxToldProblems = 100;

/** What a push may hold; an import may hold more. */
export const pushedTypes = ['metric', 'source', 'account'] as const;

const daysKept = 1;

/** A signing key may be retired between the moment when it is taken and the transaction. */
const attempts = 3;

/** Stands in a list of records for what is no JSON. */
export const unreadableRecord = Symbol('a record that is not JSON');

export const pushRecordsInput = z.strictObject({
  records: z.array(z.unknown()).min(1).max(maxPushedRecords),
  dryRun: z.boolean().default(false),
  idempotencyKey: idempotencyKeyInput.nullish(),
});

/** The records as `parseExactJson` gives them. */
export type PushRecordsInput = z.input<typeof pushRecordsInput>;

export interface DataPush extends PushResult {
  /** Whether this only repeats what was answered before under the same idempotency key. */
  readonly replayed: boolean;
}

/**
 * Takes records of the caller's company by the rules of an import, all or nothing: signed, versioned and visible to the
 * next read. A dry run says the same and changes nothing, so it needs no idempotency key and uses none up.
 *
 * @throws InputError, and AccessError `invalid_records`, `idempotency_key_reused`
 */
export const pushRecords =
  (ports: Ports) =>
  async (caller: CompanyCaller, input: PushRecordsInput): Promise<DataPush> => {
    const { records, dryRun, idempotencyKey } = parseInput(pushRecordsInput, input);
    const checked = await checkRecords(ports, caller, records);
    if (dryRun) return { ...(await rehearse(ports, caller, checked)), replayed: false };
    const fingerprint = ports.cryptography.sha256(JSON.stringify(records));
    const kept = idempotencyKey == null ? null : { key: idempotencyKey, fingerprint };
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const push = await pushOnce(ports, caller, checked, kept);
      if (push !== null) return push;
    }
    throw new AccessError('service_unavailable');
  };

interface Checked {
  readonly lines: readonly ImportLine[];
  readonly problems: readonly NumberedProblem[];
}

/** What each record says by itself is checked before anything is locked. */
async function checkRecords(
  ports: Ports,
  caller: CompanyCaller,
  records: readonly unknown[],
): Promise<Checked> {
  const check = createRecordCheck(ports);
  const lines: ImportLine[] = [];
  const problems: NumberedProblem[] = [];
  for (const [record, fields] of records.entries()) {
    const refuse = (param: string | null, message: string) =>
      problems.push({ record, param, message });
    if (fields === unreadableRecord) {
      refuse(notJson.param, notJson.message);
      continue;
    }
    if (!(fields instanceof Object)) {
      refuse(null, 'is not an object');
      continue;
    }
    if (!('type' in fields && isPushedType(fields.type))) {
      refuse('type', `is not one of ${pushedTypes.join(', ')}`);
      continue;
    }
    // It need not name the company, which the key does.
    const named = { company_id: caller.companyId, ...fields };
    const parsed = parseImportRecord(named, ports.cryptography);
    if (!parsed.ok) {
      for (const { param, message } of parsed.problems) refuse(param, message);
      continue;
    }
    const pushed = parsed.record as PushedRecord;
    // Before its signatures: whom another company has registered is nothing to this one.
    const found = findForeign(pushed, caller) ?? (await check(pushed));
    if ('message' in found) refuse(found.param, found.message);
    else lines.push({ line: record, record: found });
  }
  return { lines, problems };
}

const isPushedType = (type: unknown): boolean => (pushedTypes as readonly unknown[]).includes(type);

type PushedRecord = Extract<
  LineRecord,
  { readonly type: (typeof pushedTypes)[number] | 'exported' }
>;

/** What of a record the caller may not bring; null when it may. */
function findForeign(
  record: PushedRecord,
  { companyId, source }: CompanyCaller,
): RecordProblem | null {
  const own = ownerOf(record);
  if (own.companyId !== companyId) {
    return { param: 'company_id', message: `must be ${companyId}, or be left out` };
  }
  if (source === null || own.source === source) return null;
  return { param: own.param, message: `must be ${source}, to which the key is bound` };
}

/** Whose a record is, and from which source: a source and an account are of their provider. */
function ownerOf(record: PushedRecord) {
  switch (record.type) {
    case 'source':
      return { ...record.source, source: record.source.provider, param: 'provider' };
    case 'account':
      return { ...record.account, source: record.account.provider, param: 'provider' };
    default:
      return { ...record.metric, source: record.metric.source.system, param: 'source.system' };
  }
}

type KeyedPush = Pick<KeptPush, 'key' | 'fingerprint'>;

/** Ends a transaction whose signing key has been retired meanwhile. */
class KeyRetired extends Error {}

/** Null when the signing key has been retired meanwhile, and nothing was changed. */
async function pushOnce(
  ports: Ports,
  { companyId }: CompanyCaller,
  checked: Checked,
  keyed: KeyedPush | null,
): Promise<DataPush | null> {
  const { clock, imports } = ports;
  const signing = await signingOf(ports);
  try {
    return await imports.transact({ companyId, startedAt: clock.now() }, async (transaction) => {
      const kept = keyed && (await transaction.findKept(keyed.key, clock.now()));
      if (keyed !== null && kept !== null) {
        if (kept.fingerprint !== keyed.fingerprint) throw new AccessError('idempotency_key_reused');
        return { ...kept.result, replayed: true };
      }
      const counts = await apply(ports, transaction, checked, signing);
      const result = { ...counts, dataVersion: await transaction.readVersion() };
      if (keyed !== null) await transaction.keep(keep(keyed, result, clock.now()));
      return { ...result, replayed: false };
    });
  } catch (error) {
    if (error instanceof KeyRetired || isOfSigningKey(error)) return null;
    throw error;
  }
}

const isOfSigningKey = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'signing_key_conflict';

const keep = (keyed: KeyedPush, result: PushResult, now: Date): KeptPush => ({
  ...keyed,
  result,
  pushedAt: now,
  expiresAt: addDays(now, daysKept),
});

/** Undoes a dry run, and brings along what it would have come to. */
class Rehearsed extends Error {
  readonly result: PushResult;

  constructor(result: PushResult) {
    super('a dry run is undone');
    this.result = result;
  }
}

async function rehearse(
  ports: Ports,
  { companyId }: CompanyCaller,
  checked: Checked,
): Promise<PushResult> {
  const { clock, imports } = ports;
  try {
    return await imports.transact({ companyId, startedAt: clock.now() }, async (transaction) => {
      const dataVersion = await transaction.readVersion();
      const counts = await apply(ports, transaction, checked, undefined);
      throw new Rehearsed({ ...counts, dataVersion });
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.result;
    throw error;
  }
}

/** @throws AccessError `invalid_records`, naming all that is wrong with any */
async function apply(
  ports: Ports,
  transaction: PushTransaction,
  { lines, problems: known }: Checked,
  signing: LastSigning | undefined,
): Promise<Omit<PushResult, 'dataVersion'>> {
  await transaction.stage(lines);
  const problems = [...known];
  for await (const { line, reason } of transaction.findProblems()) {
    problems.push({ record: line, ...problemOf(reason) });
  }
  if (problems.length > 0) throw invalidRecords(problems);
  const counts = await transaction.apply(signing, tellChanges(ports));
  if (counts === null) throw new KeyRetired();
  return { created: counts.inserted, revised: counts.updated, unchanged: counts.unchanged };
}

function invalidRecords(problems: readonly NumberedProblem[]): AccessError {
  const inOrder = problems.toSorted((one, other) => one.record - other.record);
  const badRecords = new Set(problems.map(({ record }) => record)).size;
  const [first] = inOrder as [NumberedProblem];
  const place = first.param === null ? '' : `, ${first.param}`;
  return new AccessError('invalid_records', {
    message: `${badRecords === 1 ? '1 record' : `${badRecords} records`} cannot be taken, so nothing was changed. The first: record ${first.record}${place}: ${first.message}.`,
    details: { records: inOrder.slice(0, maxToldProblems), badRecords },
  });
}

/** Undefined without a signing key: values are kept unsigned then, as by an import. */
async function signingOf({ clock, signer }: Ports): Promise<LastSigning | undefined> {
  const identity = await signer.current();
  return identity === null
    ? undefined
    : {
        keyNumber: identity.keyNumber,
        most: maxPushedRecords,
        sign: (claims) => signMetric(identity, claims, clock.now()),
      };
}
