import { z } from 'zod';
import { nameOfHeld } from '../../model/company-data/held-data.ts';
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
import { type Checked, checkPushed, findAllProblems } from './check-pushed.ts';
import { signWith } from './sign-metrics.ts';
import { ExcessOfData, tellChanges } from './tell-changes.ts';

/** What a program may push at once. */
export const maxPushedRecords = 1_000;

/** What a person may at the desk, where a file is taken as a whole or not at all. */
export const maxUploadedRecords = 10_000;

/** So many problems are told; a program that makes more has one that it makes again and again. */
const maxToldProblems = 100;

const daysKept = 1;

/** A signing key may be retired between the moment when it is taken and the transaction. */
const attempts = 3;

const upTo = (most: number) => z.array(z.unknown()).min(1).max(most);

export const pushRecordsInput = z.strictObject({
  records: upTo(maxPushedRecords),
  dryRun: z.boolean().default(false),
  idempotencyKey: idempotencyKeyInput.nullish(),
  /** The version of the data on which it was decided; without one, whatever there is. */
  seenVersion: z.string().nullish(),
});

const uploadInput = pushRecordsInput.extend({ records: upTo(maxUploadedRecords) });

/** By who asks. */
export const pushInputOf = ({ kind }: Pick<CompanyCaller, 'kind'>) =>
  kind === 'contact' ? uploadInput : pushRecordsInput;

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
 * @throws InputError, AccessError `invalid_records`, `idempotency_key_reused`, and Refusal `data_changed`
 */
export const pushRecords =
  (ports: Ports) =>
  async (caller: CompanyCaller, input: PushRecordsInput): Promise<DataPush> => {
    const parsed = parseInput(pushInputOf(caller), input);
    const { records, dryRun, idempotencyKey, seenVersion = null } = parsed;
    const checked = await checkPushed(ports, caller, records);
    if (dryRun) return { ...(await rehearse(ports, caller, checked)), replayed: false };
    const kept =
      idempotencyKey == null
        ? null
        : {
            key: idempotencyKey,
            fingerprint: ports.cryptography.sha256(JSON.stringify(records)),
          };
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const push = await pushOnce(ports, caller, checked, { kept, seenVersion });
      if (push !== null) return push;
    }
    throw new AccessError('service_unavailable');
  };

type KeyedPush = Pick<KeptPush, 'key' | 'fingerprint'>;

interface Conditions {
  /** Under which idempotency key; null: under none. */
  readonly kept: KeyedPush | null;
  readonly seenVersion: string | null;
}

/** Ends a transaction whose signing key has been retired meanwhile. */
class KeyRetired extends Error {}

/** Null when the signing key has been retired meanwhile, and nothing was changed. */
async function pushOnce(
  ports: Ports,
  caller: CompanyCaller,
  checked: Checked,
  { kept: keyed, seenVersion }: Conditions,
): Promise<DataPush | null> {
  const { clock, imports } = ports;
  const { companyId } = caller;
  const signing = await signingOf(ports, checked.lines.length);
  try {
    return await imports.transact({ companyId, startedAt: clock.now() }, async (transaction) => {
      if (keyed !== null) {
        const kept = await transaction.findKept(keyed.key, clock.now());
        if (kept !== null) return replayOf(kept, keyed);
      }
      if (seenVersion !== null && seenVersion !== (await transaction.readVersion())) {
        throw new Refusal('data_changed');
      }
      const counts = await apply(ports, caller, transaction, checked, signing);
      const result = { ...counts, dataVersion: await transaction.readVersion() };
      if (keyed !== null) await transaction.keep(keep(keyed, result, clock.now()));
      return { ...result, replayed: false };
    });
  } catch (error) {
    if (error instanceof KeyRetired || isOfSigningKey(error)) return null;
    throw error;
  }
}

/** @throws AccessError `idempotency_key_reused` */
function replayOf({ fingerprint, result }: KeptPush, keyed: KeyedPush): DataPush {
  if (fingerprint !== keyed.fingerprint) throw new AccessError('idempotency_key_reused');
  return { ...result, replayed: true };
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
    super();
    this.result = result;
  }
}

async function rehearse(
  ports: Ports,
  caller: CompanyCaller,
  checked: Checked,
): Promise<PushResult> {
  const { clock, imports } = ports;
  const { companyId } = caller;
  try {
    return await imports.transact({ companyId, startedAt: clock.now() }, async (transaction) => {
      const dataVersion = await transaction.readVersion();
      const counts = await apply(ports, caller, transaction, checked, undefined);
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
  caller: CompanyCaller,
  transaction: PushTransaction,
  checked: Checked,
  signing: LastSigning | undefined,
): Promise<Omit<PushResult, 'dataVersion'>> {
  const problems = await findAllProblems(transaction, caller, checked);
  if (problems.length > 0) throw invalidRecords(problems);
  const counts = await transaction.apply(signing, tellChanges(ports)).catch((error: unknown) => {
    throw error instanceof ExcessOfData ? invalidRecords([problemOfExcess(error, checked)]) : error;
  });
  if (counts === null) throw new KeyRetired();
  return { created: counts.inserted, revised: counts.updated, unchanged: counts.unchanged };
}

/** It is told of the last record that brings something new of the kind: there is one, or the push had added nothing. */
function problemOfExcess(
  { kind, added, message }: ExcessOfData,
  { lines }: Checked,
): NumberedProblem {
  const last = lines.findLast(({ record }) => {
    const about = nameOfHeld(record);
    return about?.kind === kind && added.has(about.name);
  }) as ImportLine;
  return { record: last.line, param: null, message };
}

function invalidRecords(problems: readonly NumberedProblem[]): AccessError {
  const badRecords = new Set(problems.map(({ record }) => record)).size;
  const [first] = problems as [NumberedProblem];
  const place = first.param === null ? '' : `, ${first.param}`;
  return new AccessError('invalid_records', {
    message: `${badRecords === 1 ? '1 record' : `${badRecords} records`} cannot be taken, so nothing was changed. The first: record ${first.record}${place}: ${first.message}.`,
    details: { records: problems.slice(0, maxToldProblems), badRecords },
  });
}

/** Undefined without a signing key: values are kept unsigned then, as by an import. */
async function signingOf(ports: Ports, most: number): Promise<LastSigning | undefined> {
  const identity = await ports.signer.current();
  if (identity === null) return undefined;
  return { keyNumber: identity.keyNumber, most, sign: signWith(ports, identity) };
}
