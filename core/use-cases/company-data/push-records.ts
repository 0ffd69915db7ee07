import { z } from 'zod';
import { type EntryMethod, entryMethods } from '../../model/company-data/entered-metric.ts';
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
import { checkEntered, leaveOutUnticked } from './check-entered.ts';
import { type Checked, checkPushed } from './check-pushed.ts';

/** The limit for a program. */
export const maxPushedRecords = 1_000;

/** The limit for a person at the desk, where a file is stored as a whole or not at all. */
export const maxUploadedRecords = 10_000;

const upTo = (most: number) => z.array(z.unknown()).min(1).max(most);

export const pushRecordsInput = z.strictObject({
  records: upTo(maxPushedRecords),
  dryRun: z.boolean().default(false),
  idempotencyKey: idempotencyKeyInput.nullish(),
  /** The data version that the person saw. Any version is accepted without one. */
  seenVersion: z.string().nullish(),
});

const uploadInput = pushRecordsInput.extend({
  records: upTo(maxUploadedRecords),
  /** The marked records that the person confirms. Other marked records are left out. */
  ticked: z.array(z.int()).max(maxUploadedRecords).default([]),
  method: z.enum(entryMethods).default('upload'),
  /** The person's reason, for the settings log. */
  reason: textInput(maxReasonLength).nullish(),
});

/** The records of an upload at the desk. */
export const uploadedRecords = uploadInput.pick({ records: true });

/** The records, parsed by `parseExactJson`. */
export type PushRecordsInput = z.input<typeof pushRecordsInput> & {
  /** For people only. */
  readonly ticked?: readonly number[];
  readonly method?: EntryMethod;
  readonly reason?: string | undefined;
};

export interface DataPush extends PushResult {
  /** The number of marked values that were left out without a confirmation. Absent for programs. */
  readonly leftOut?: number;
  /** True if the push was already carried out under the same idempotency key. */
  readonly replayed: boolean;
}

/**
 * Stores records of the caller's company by the rules of an import, all or none. They are signed and visible to the
 * next
 * read. A dry run returns the same result and changes nothing; it needs no idempotency key and uses none up.
 *
 * @throws InputError, AccessError `invalid_records`, `idempotency_key_reused`, and Refusal `data_changed`
 */
export const pushRecords =
  (ports: Ports) =>
  async (caller: CompanyCaller & Permitted, input: PushRecordsInput): Promise<DataPush> => {
    const pushed = isContact(caller)
      ? await prepareOfContact(ports, caller, input)
      : await prepareOfProgram(ports, caller, input);
    const { dryRun, idempotencyKey, fingerprinted, checked, versions, entry, resultFields } =
      pushed;
    const { companyId, environment, source, credential } = caller;
    const fingerprint = () => ports.cryptography.sha256(JSON.stringify(fingerprinted));
    const push = {
      ...{ companyId, environment, source, credential, versions },
      kept: idempotencyKey == null ? null : { key: idempotencyKey, fingerprint: fingerprint() },
      entry,
    };
    if (dryRun)
      return { ...(await rehearsePush(ports, push, checked)), ...resultFields, replayed: false };
    const { signed: _, unsigned: _unsigned, ...result } = await applyPush(ports, push, checked);
    return { ...result, ...resultFields };
  };

interface Prepared extends Pick<z.output<typeof pushRecordsInput>, 'dryRun' | 'idempotencyKey'> {
  readonly checked: Checked;
  /** A repeat under the same idempotency key must have the same content. */
  readonly fingerprinted: unknown;
  /** The entry of the settings log with the person who changes the data. Null for a program. */
  readonly entry: SettingsChange | null;
  /** The data versions that the preview and the completion are based on. */
  readonly versions: readonly string[];
  readonly resultFields: Pick<DataPush, 'leftOut'>;
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
  return { ...how, checked, versions, fingerprinted: records, entry: null, resultFields: {} };
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
  const checked = await checkEntered(ports, caller, records, method);
  const { lines, leftOut } = leaveOutUnticked(checked, ticked);
  return {
    ...how,
    checked: { lines, problems: checked.problems },
    versions: [checked.dataVersion, ...seenVersions(seenVersion)],
    fingerprinted: { records, ticked },
    entry: entryOf(ports, caller, { method, reason: reason ?? null }),
    resultFields: { leftOut },
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
