import { type EntryMethod, enteredFields } from '../../model/company-data/entered-metric.ts';
import {
  notJson,
  parseImportRecord,
  problemOf,
  type RecordProblem,
} from '../../model/company-data/import-line.ts';
import type { ImportRecord, LineRecord } from '../../model/company-data/import-record.ts';
import { findPeriodProblem } from '../../model/company-data/period.ts';
import type { NumberedProblem } from '../../model/errors.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { ImportLine, PushTransaction } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { createRecordCheck } from './check-record.ts';
import { type CheckedLine, resolveVoids } from './resolve-voids.ts';
import { RevisionCheck } from './revision-check.ts';

const pushedTypes = ['metric', 'source', 'account', 'void'] as const;

/** Each different revision number takes an SQL statement while the company's data is locked. */
export const maxPushedRevisions = 10;

/** The number of records that are checked at once. Other calls get their turn after each of these batches. */
const recordsPerTurn = 100;

/** Stands for a record that isn't valid JSON. */
export const unreadableRecord = Symbol('a record that is not JSON');

export interface CheckedRecords {
  readonly lines: readonly CheckedLine[];
  readonly problems: readonly NumberedProblem[];
}

export interface ParsedRecord {
  /** The index of the record, from 0. */
  readonly line: number;
  readonly record: PushedRecord;
}

/** `source` is the only source that the records may name. Null means any source. */
export type PushCaller = Pick<CompanyCaller, 'kind' | 'companyId' | 'environment' | 'source'>;

export async function checkPushed(
  ports: Ports,
  caller: CompanyCaller,
  records: readonly unknown[],
): Promise<CheckedRecords> {
  const { parsed, problems } = await parsePushed(ports, caller, records);
  const { lines, problems: ofSignatures } = await verifyParsed(ports, parsed, new Set());
  return { lines, problems: [...problems, ...ofSignatures] };
}

/** Parses the records, and rejects records that the caller may not push. Doesn't verify signatures. */
export async function parsePushed(
  { cryptography, clock }: Ports,
  caller: PushCaller,
  records: readonly unknown[],
  method: EntryMethod = 'upload',
): Promise<Pick<CheckedRecords, 'problems'> & { readonly parsed: readonly ParsedRecord[] }> {
  const now = clock.now();
  const isOfProgram = caller.kind === 'company';
  const parsed: ParsedRecord[] = [];
  const problems: NumberedProblem[] = [];
  for await (const [line, fields] of yieldWithPauses(records)) {
    const refuse = ({ param, message }: RecordProblem) =>
      problems.push({ record: line, param, message });
    if (fields === unreadableRecord) {
      refuse(notJson);
      continue;
    }
    if (!(fields instanceof Object) || Array.isArray(fields)) {
      refuse({ param: null, message: 'is not an object' });
      continue;
    }
    const { type } = fields as { readonly type?: unknown };
    if (!(pushedTypes as readonly unknown[]).includes(type)) {
      const message = type === undefined ? 'is missing' : `is not one of ${pushedTypes.join(', ')}`;
      refuse({ param: 'type', message });
      continue;
    }
    const entered = isOfProgram || type !== 'metric' ? fields : enteredFields(fields, method);
    // A record may omit the company, because the key belongs to one company.
    const named = { company_id: caller.companyId, ...entered };
    const result = parseImportRecord(named, cryptography);
    if (!result.ok) {
      for (const problem of result.problems) refuse(problem);
      continue;
    }
    const record = result.record as PushedRecord;
    // Checks the company before the signature, because another company's signers must not verify it.
    const problem =
      findPartOfOtherSource(record, caller) ?? (isOfProgram ? findImplausible(record, now) : null);
    if (problem === null) parsed.push({ line, record });
    else refuse(problem);
  }
  return { parsed, problems };
}

/** @param trusted the records whose signatures are already stored, so that they aren't verified again */
export async function verifyParsed(
  ports: Ports,
  parsed: readonly ParsedRecord[],
  trusted: ReadonlySet<number>,
): Promise<CheckedRecords> {
  const check = createRecordCheck(ports);
  const lines: CheckedLine[] = [];
  const problems: NumberedProblem[] = [];
  const revisions = new Set<number>();
  for await (const [, { line, record }] of yieldWithPauses(parsed)) {
    const isTrusted = record.type === 'metric' && trusted.has(line);
    const found = isTrusted ? record : await check(record);
    const problem =
      'message' in found
        ? found
        : found.type === 'revision'
          ? findRevisionProblem(found, revisions)
          : null;
    if (problem !== null) problems.push({ record: line, ...problem });
    else lines.push({ line, record: found as ImportRecord });
  }
  return { lines, problems };
}

async function* yieldWithPauses<Item>(items: readonly Item[]): AsyncGenerator<[number, Item]> {
  for (const entry of items.entries()) {
    if (entry[0] % recordsPerTurn === recordsPerTurn - 1) {
      await new Promise<void>((done) => setImmediate(done));
    }
    yield entry;
  }
}

type PushedRecord = Extract<
  LineRecord,
  { readonly type: (typeof pushedTypes)[number] | 'exported' }
>;

function findRevisionProblem(
  { revision, signed }: Extract<ImportRecord, { readonly type: 'revision' }>,
  revisions: Set<number>,
): RecordProblem | null {
  const param = 'revision';
  if (signed === null)
    return { param, message: 'is allowed only together with the signature of the value' };
  if (revisions.add(revision).size > maxPushedRevisions) {
    return {
      param,
      message: `exceeds the limit of ${maxPushedRevisions} different revisions per push`,
    };
  }
  return null;
}

/** Rejects an implausible period from a program. A person's value is marked instead, and the person can confirm it. */
function findImplausible(record: PushedRecord, now: Date): RecordProblem | null {
  if (!('metric' in record)) return null;
  const message = findPeriodProblem(record.metric.period, now);
  return message === null ? null : { param: 'period', message };
}

function findPartOfOtherSource(
  record: PushedRecord,
  { companyId, source }: PushCaller,
): RecordProblem | null {
  const own = ownerOf(record, source);
  if (own.companyId !== companyId) {
    return { param: 'company_id', message: `must be ${companyId}, or be left out` };
  }
  if (source === null || own.source === source) return null;
  return {
    param: own.param,
    message: `must be ${source}, because the key is limited to this source`,
  };
}

/**
 * Returns the company and the source of a record. The source of an account is its provider. A void names no source:
 * `resolveVoids` checks the source of the stored value.
 */
function ownerOf(record: PushedRecord, boundTo: string | null) {
  switch (record.type) {
    case 'source':
      return { ...record.source, source: record.source.provider, param: 'provider' };
    case 'account':
      return { ...record.account, source: record.account.provider, param: 'provider' };
    case 'void':
      return { ...record.void, source: boundTo, param: 'period' };
    default:
      return { ...record.metric, source: record.metric.source.system, param: 'source.system' };
  }
}

export interface CompletedPush {
  readonly lines: readonly ImportLine[];
  readonly voided: number;
  readonly problems: readonly NumberedProblem[];
}

export type PushOrigin = Pick<CompanyCaller, 'environment' | 'source'>;

/**
 * Replaces voids with revisions. Lists the problems of all records, including problems that depend on the stored data.
 *
 * @param revisions remembers the revisions of earlier batches
 */
export async function completePush(
  transaction: Pick<PushTransaction, 'findForeign' | 'findLatestRevisions' | 'findRevisions'>,
  { environment, source }: PushOrigin,
  checked: CheckedRecords,
  revisions = new RevisionCheck(),
): Promise<CompletedPush> {
  const { problems: ofVoids, ...resolved } = await resolveVoids(transaction, checked.lines, source);
  const { lines } = resolved;
  const ofRevisions = await revisions.find(transaction, environment, lines);
  const foreign = source === null ? [] : await transaction.findForeign(lines, source);
  const problems = [
    ...[...ofVoids, ...ofRevisions].map(({ line, ...problem }) => ({ record: line, ...problem })),
    ...foreign.map(({ line, reason }) => ({ record: line, ...problemOf(reason) })),
  ];
  return {
    ...resolved,
    problems: [...checked.problems, ...problems].toSorted(
      (one, other) => one.record - other.record,
    ),
  };
}
