import {
  type CompletedRecord,
  type ImportEntry,
  maxUploadedRecords,
  type OperatorUseCases,
} from '#core';
import {
  companyOf,
  openSheet,
  questionAnswers,
  type ReadSheet,
  readSheet,
  type SheetAnswers,
  type SheetQuestion,
  type SheetRecord,
  sheetWords,
} from '#http';
import { CommandError } from '../../output.ts';
import { optionOf } from './options.ts';

interface TableFile {
  readonly bytes: Uint8Array;
  readonly name: string;
  /** Undefined if each row names its company. */
  readonly companyId: string | undefined;
  readonly sheet: string | undefined;
  readonly answers: SheetAnswers;
}

type UseCases = Pick<OperatorUseCases, 'readLatestOfCompany' | 'completeRecords'>;

const words = sheetWords.en;

/**
 * Reads a workbook, or a CSV file from a spreadsheet program.
 *
 * @param warn prints notes, questions and warnings
 * @throws CommandError if a question about the file has no answer
 * @throws RefusedFile
 */
export async function readTableFile(
  file: TableFile,
  useCases: UseCases,
  warn: (text: string) => void,
): Promise<readonly ImportEntry[]> {
  const { bytes, name, answers } = file;
  const opened = await openSheet({
    ...{ bytes, name, sheet: file.sheet ?? null, encoding: answers.encoding },
    maxRows: maxUploadedRecords,
  });
  const companyId = file.companyId ?? companyOf(opened);
  if (companyId === null) {
    throw new CommandError('the table has no column company_id. Name the company with --company');
  }
  const read = await readSheet(opened, {
    known: await useCases.readLatestOfCompany({ companyId }),
    answers,
    source: { system: name, method: 'file', lastSynced: new Date() },
    maxRecords: maxUploadedRecords,
  });
  if (read.questions.length > 0) {
    for (const question of read.questions) printQuestion(question, warn);
    const options = read.questions.map(({ id }) => optionOf(id)).join(' and ');
    throw new CommandError(
      `the table can be read in two ways, so nothing was imported. Add ${options}`,
    );
  }
  if (opened.name !== null && opened.otherNames.length > 0) {
    warn(`read the sheet "${opened.name}"; choose another one with --sheet`);
  }
  for (const note of read.notes) warn(words.note(note));
  return complete(read, companyId, useCases, warn);
}

function printQuestion(question: SheetQuestion, warn: (text: string) => void): void {
  const { id, count, examples } = question;
  const { title, answers } = words.question(question);
  warn(title);
  for (const [at, answer] of questionAnswers[id].entries()) {
    warn(`  ${optionOf(id, answer)}: ${answers[at]}`);
  }
  for (const { line, key, text, readings } of examples) {
    const [one, other] = readings.map((reading) => reading || 'nothing');
    const cellText = [key, text].filter((part) => part !== '').join(', ');
    warn(`  line ${line}: ${cellText}: ${one} or ${other}`);
  }
  if (count > examples.length) warn(`  and ${count - examples.length} more`);
}

async function complete(
  { records, problems }: ReadSheet,
  companyId: string,
  useCases: UseCases,
  warn: (text: string) => void,
): Promise<readonly ImportEntry[]> {
  const fields = records.map((record) => record.fields);
  const completed = new Map<number, CompletedRecord>();
  if (fields.length > 0) {
    const found = await useCases.completeRecords({ companyId, records: fields });
    for (const each of found) completed.set(each.record, each);
  }
  const entries: ImportEntry[] = problems.map((problem) => ({
    line: problem.line,
    reason: `${problem.column === null ? '' : `${problem.column}: `}${words.problem(problem)}`,
  }));
  for (const [at, record] of records.entries()) {
    const { line } = record;
    const owner = record.fields.company_id ?? companyId;
    if (owner !== companyId) {
      entries.push({ line, reason: `company_id: is ${owner}, not ${companyId}` });
      continue;
    }
    const completedRecord = completed.get(at);
    for (const mark of completedRecord?.marks ?? []) {
      warn(
        `line ${line}: warning: ${record.fields.key} ${record.fields.period}: ${words.marks[mark]}`,
      );
    }
    const all = { ...completeFields(record, completedRecord), company_id: companyId };
    entries.push({ line, fields: all, unreadable: new Map(), describe: (path) => path });
  }
  return entries.toSorted((one, other) => lineOf(one) - lineOf(other));
}

const lineOf = (entry: ImportEntry): number => (typeof entry === 'string' ? 0 : entry.line);

function completeFields(
  { fields }: SheetRecord,
  completedRecord: CompletedRecord | undefined,
): object {
  if (completedRecord === undefined) return fields;
  const { currency, value, source, confidence, asOf, verification } = completedRecord.metric;
  if (!completedRecord.isStored) return { ...fields, currency, value };
  const { verified, sourceSignature: signature } = verification;
  return {
    ...{ ...fields, currency, value, confidence },
    as_of: asOf.toISOString(),
    source: {
      ...{ system: source.system, method: source.method },
      last_synced: source.lastSynced.toISOString(),
      ...(signature !== undefined && { signature }),
    },
    verification: { verified },
  };
}
