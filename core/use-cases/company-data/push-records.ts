import { z } from 'zod';
import { type EntryMethod, entryMethods } from '../../model/company-data/brought-metric.ts';
import type { Permitted } from '../../model/identity/acting-credential.ts';
import { type CompanyCaller, type ContactCaller, isContact } from '../../model/identity/caller.ts';
import {
  changeOfEnteredData,
  type SettingsChange,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { idempotencyKeyInput, parseInput, textInput } from '../../model/input.ts';
import { maxReasonLength } from '../../model/text.ts';
import type { PushResult } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { applyPush, rehearsePush } from './apply-push.ts';
import { checkBrought, leaveOutUnticked } from './check-brought.ts';
import { type Checked, checkPushed } from './check-pushed.ts';

/** What a program may push at once. */
export const maxPushedRecords = 1_000;

/** What a person may at the desk, where a file is taken as a whole or not at all. */
export const maxUploadedRecords = 10_000;

const upTo = (most: number) => z.array(z.unknown()).min(1).max(most);

export const pushRecordsInput = z.strictObject({
  records: upTo(maxPushedRecords),
  dryRun: z.boolean().default(false),
  idempotencyKey: idempotencyKeyInput.nullish(),
  /** The version of the data on which it was decided; without one, whatever there is. */
  seenVersion: z.string().nullish(),
});

const uploadInput = pushRecordsInput.extend({
  records: upTo(maxUploadedRecords),
  /** The marked records that the person takes nevertheless. Others that are marked are left out. */
  ticked: z.array(z.int()).max(maxUploadedRecords).default([]),
  method: z.enum(entryMethods).default('upload'),
  /** The person's reason, for the settings log. */
  reason: textInput(maxReasonLength).nullish(),
});

/** The records of an upload at the desk. */
export const uploadedRecords = uploadInput.pick({ records: true });

/** The records as `parseExactJson` gives them. */
export type PushRecordsInput = z.input<typeof pushRecordsInput> & {
  /** For contacts alone. */
  readonly ticked?: readonly number[];
  readonly method?: EntryMethod;
  readonly reason?: string | undefined;
};

export interface DataPush extends PushResult {
  /** How many marked values weren't ticked and so are left out. Absent for programs. */
  readonly leftOut?: number;
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
  async (caller: CompanyCaller & Permitted, input: PushRecordsInput): Promise<DataPush> => {
    const pushed = isContact(caller)
      ? await prepareOfContact(ports, caller, input)
      : await prepareOfProgram(ports, caller, input);
    const { dryRun, idempotencyKey, fingerprinted, checked, versions, entry, told } = pushed;
    const { companyId, environment, source, credential } = caller;
    const fingerprint = () => ports.cryptography.sha256(JSON.stringify(fingerprinted));
    const push = {
      ...{ companyId, environment, source, credential, versions },
      kept: idempotencyKey == null ? null : { key: idempotencyKey, fingerprint: fingerprint() },
      entry,
    };
    if (dryRun) return { ...(await rehearsePush(ports, push, checked)), ...told, replayed: false };
    const { signed: _, unsigned: _unsigned, ...result } = await applyPush(ports, push, checked);
    return { ...result, ...told };
  };

interface Prepared extends Pick<z.output<typeof pushRecordsInput>, 'dryRun' | 'idempotencyKey'> {
  readonly checked: Checked;
  /** A repeat under the same idempotency key must have the same content. */
  readonly fingerprinted: unknown;
  /** The entry of the settings log with the person who changes the data; null: a program changes it. */
  readonly entry: SettingsChange | null;
  /** The versions of the data that it was decided and completed on. */
  readonly versions: readonly string[];
  readonly told: Pick<DataPush, 'leftOut'>;
}

const seenVersions = (seenVersion: string | null | undefined): readonly string[] =>
  seenVersion == null ? [] : [seenVersion];

async function prepareOfProgram(
  ports: Ports,
  caller: CompanyCaller,
  input: PushRecordsInput,
): Promise<Prepared> {
  const { records, seenVersion, ...how } = parseInput(pushRecordsInput, input);
  const checked = await checkPushed(ports, caller, records);
  const versions = seenVersions(seenVersion);
  return { ...how, checked, versions, fingerprinted: records, entry: null, told: {} };
}

async function prepareOfContact(
  ports: Ports,
  caller: ContactCaller,
  input: PushRecordsInput,
): Promise<Prepared> {
  const { records, seenVersion, ticked, method, reason, ...how } = parseInput(uploadInput, {
    ...input,
    ticked: [...(input.ticked ?? [])],
  });
  const checked = await checkBrought(ports, caller, records, method);
  const { lines, leftOut } = leaveOutUnticked(checked, ticked);
  return {
    ...how,
    checked: { lines, problems: checked.problems },
    versions: [checked.dataVersion, ...seenVersions(seenVersion)],
    fingerprinted: { records, ticked },
    entry: entryOf(ports, caller, { method, reason: reason ?? null }),
    told: { leftOut },
  };
}

function entryOf(
  { ids, clock }: Pick<Ports, 'ids' | 'clock'>,
  caller: ContactCaller,
  entered: Parameters<typeof changeOfEnteredData>[1],
): SettingsChange {
  const changed = changeOfEnteredData({ id: caller.companyId, name: caller.companyName }, entered);
  return settingsChange(ids, clock.now(), caller, changed);
}
