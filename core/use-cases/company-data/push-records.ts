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
import { applyPush, type Push, simulatePush } from './apply-push.ts';
import { checkEntered, leaveOutUnticked } from './check-entered.ts';
import { type CheckedRecords, checkPushed } from './check-pushed.ts';

export const maxPushedRecords = 1_000;

/** The maximum number of records that a person at the desk can upload. */
export const maxUploadedRecords = 10_000;

const createRecordsInput = (most: number) => z.array(z.unknown()).min(1).max(most);

export const pushRecordsInput = z.strictObject({
  records: createRecordsInput(maxPushedRecords),
  dryRun: z.boolean().default(false),
  idempotencyKey: idempotencyKeyInput.nullish(),
  /** The data version that the person saw. Without one, any version is accepted. */
  seenVersion: z.string().nullish(),
});

const uploadInput = pushRecordsInput.extend({
  records: createRecordsInput(maxUploadedRecords),
  /** The marked records that the person confirms. Other marked records are left out. */
  ticked: z.array(z.int()).max(maxUploadedRecords).default([]),
  method: z.enum(entryMethods).default('upload'),
  reason: textInput(maxReasonLength).nullish(),
});

export const uploadedRecords = uploadInput.pick({ records: true });

/** Expects records parsed by `parseExactJson`. Only people use `ticked`, `method` and `reason`. */
export type PushRecordsInput = z.input<typeof pushRecordsInput> & {
  readonly ticked?: readonly number[];
  readonly method?: EntryMethod;
  readonly reason?: string | undefined;
};

export interface DataPush extends PushResult {
  /** The number of marked values that the person didn't confirm. Absent for programs. */
  readonly leftOut?: number;
  readonly replayed: boolean;
}

/**
 * Stores records of the caller's company by the rules of an import. If one record is bad, none is stored. The next read
 * returns the new values with signatures. A dry run returns the same result, changes nothing, and needs no idempotency
 * key.
 *
 * @throws AccessError `invalid_records`, `idempotency_key_reused`, and Refusal `data_changed`
 */
export const pushRecords =
  (ports: Ports) =>
  async (caller: CompanyCaller & Permitted, input: PushRecordsInput): Promise<DataPush> => {
    const pushed = isContact(caller)
      ? await prepareOfContact(ports, caller, input)
      : await prepareOfProgram(ports, caller, input);
    const { dryRun, idempotencyKey, fingerprintedContent, checked, versions, entry, resultFields } =
      pushed;
    const { companyId, environment, source, credential } = caller;
    const fingerprint = () => ports.cryptography.sha256(JSON.stringify(fingerprintedContent));
    const idempotency =
      idempotencyKey == null ? null : { key: idempotencyKey, fingerprint: fingerprint() };
    const origin = { companyId, environment, source, credential };
    const push = dryRun ? simulatePush : applyPush;
    const { signed, unsigned, ...result } = await push(
      ports,
      { ...origin, idempotency, versions, entry },
      checked,
    );
    return { ...result, ...resultFields };
  };

interface PreparedPush
  extends Pick<z.output<typeof pushRecordsInput>, 'dryRun' | 'idempotencyKey'>,
    Pick<Push, 'versions' | 'entry'> {
  readonly checked: CheckedRecords;
  /** The content for the fingerprint. A push with the same idempotency key must have the same content. */
  readonly fingerprintedContent: unknown;
  readonly resultFields: Pick<DataPush, 'leftOut'>;
}

const seenVersions = (seenVersion: string | null | undefined): readonly string[] =>
  seenVersion == null ? [] : [seenVersion];

async function prepareOfProgram(
  ports: Ports,
  caller: CompanyCaller,
  input: PushRecordsInput,
): Promise<PreparedPush> {
  const { records, seenVersion, ...how } = parseInput(pushRecordsInput, input);
  const checked = await checkPushed(ports, caller, records);
  const versions = seenVersions(seenVersion);
  return {
    ...how,
    checked,
    versions,
    fingerprintedContent: records,
    entry: null,
    resultFields: {},
  };
}

async function prepareOfContact(
  ports: Ports,
  caller: ContactCaller,
  input: PushRecordsInput,
): Promise<PreparedPush> {
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
    fingerprintedContent: { records, ticked },
    entry: entryOf(ports, caller, { method, reason: reason ?? null }),
    resultFields: { leftOut },
  };
}

function entryOf(
  { ids, clock }: Ports,
  caller: ContactCaller,
  entered: Parameters<typeof changeOfEnteredData>[1],
): SettingsChange {
  const changed = changeOfEnteredData({ id: caller.companyId, name: caller.companyName }, entered);
  return settingsChange(ids, clock.now(), caller, changed);
}
