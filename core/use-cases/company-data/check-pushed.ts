import {
  notJson,
  parseImportRecord,
  problemOf,
  type RecordProblem,
} from '../../model/company-data/import-line.ts';
import type { ImportRecord, LineRecord } from '../../model/company-data/import-record.ts';
import type { NumberedProblem } from '../../model/errors.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { ImportLine, PushTransaction } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { createRecordCheck } from './check-record.ts';

/** What a push may hold; an import may hold more. */
const pushedTypes = ['metric', 'source', 'account'] as const;

/** Each takes a statement of its own, while the data of the company is locked. */
export const maxPushedRevisions = 10;

/** In between others have their turn of the event loop. */
const checkedAtOnce = 100;

/** Stands in a list of records for what is no JSON. */
export const unreadableRecord = Symbol('a record that is not JSON');

export interface Checked {
  readonly lines: readonly ImportLine[];
  readonly problems: readonly NumberedProblem[];
}

/** What each record says by itself, which is checked before anything is locked. */
export async function checkPushed(
  ports: Ports,
  caller: CompanyCaller,
  records: readonly unknown[],
): Promise<Checked> {
  const check = createRecordCheck(ports);
  const lines: ImportLine[] = [];
  const problems: NumberedProblem[] = [];
  const revisions = new Set<number>();
  for (const [record, fields] of records.entries()) {
    if (record % checkedAtOnce === checkedAtOnce - 1)
      await new Promise<void>((done) => setImmediate(done));
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
    if (!isPushedType((fields as { readonly type?: unknown }).type)) {
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
    if ('message' in found) {
      refuse(found.param, found.message);
      continue;
    }
    const problem = found.type === 'revision' ? findBeyond(found, revisions) : null;
    if (problem !== null) refuse(problem.param, problem.message);
    else lines.push({ line: record, record: found });
  }
  return { lines, problems };
}

const isPushedType = (type: unknown): boolean => (pushedTypes as readonly unknown[]).includes(type);

type PushedRecord = Extract<
  LineRecord,
  { readonly type: (typeof pushedTypes)[number] | 'exported' }
>;

/** What of a revision goes beyond a push; null when nothing does. */
function findBeyond(
  { revision, signed }: Extract<ImportRecord, { readonly type: 'revision' }>,
  revisions: Set<number>,
): RecordProblem | null {
  const param = 'revision';
  if (signed === null) return { param, message: 'comes with the signature of the value alone' };
  if (revisions.add(revision).size > maxPushedRevisions) {
    return { param, message: `is one of more than ${maxPushedRevisions} different ones` };
  }
  return null;
}

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

/** What is wrong with any, also what only the stored data show, in the order of the records. */
export async function findAllProblems(
  transaction: Pick<PushTransaction, 'stage' | 'findProblems'>,
  { source }: Pick<CompanyCaller, 'source'>,
  { lines, problems: known }: Checked,
): Promise<readonly NumberedProblem[]> {
  await transaction.stage(lines);
  const problems = [...known];
  for await (const { line, reason } of transaction.findProblems(source)) {
    problems.push({ record: line, ...problemOf(reason) });
  }
  return problems.toSorted((one, other) => one.record - other.record);
}
