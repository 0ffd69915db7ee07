import type { z } from 'zod';
import type { Cryptography } from '../platform.ts';
import { wrongType } from '../wrong-type.ts';
import type { Account } from './account.ts';
import type { LineRecord } from './import-record.ts';
import { importLine } from './import-schema.ts';

/** One record as a file of another form than JSON says it. */
export interface ImportFields {
  /** Where it begins in its file, counted from 1. Several records may be of one line. */
  readonly line: number;
  /** As JSON.parse gives them, but amounts by JSON.rawJSON, so that no digit of them is lost. */
  readonly fields: unknown;
  /** The fields that cannot be read, by their path, each with the reason. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Where a field comes from, for the reasons: `raw_value` → `raw_value in column "Saldo"`. */
  describe(path: string): string;
}

/** What is wrong with a record, or with one of its fields. */
export interface RecordProblem {
  /** The path of the field, as the record spells it; null: it is the record as a whole. */
  readonly param: string | null;
  readonly message: string;
}

export type ParsedLine =
  | { readonly ok: true; readonly record: LineRecord }
  | { readonly ok: false; readonly problems: readonly RecordProblem[] };

export const notJson: RecordProblem = { param: null, message: 'is not valid JSON' };

/** Reads one line of an import: a JSON object by the contract's field names. The problems name every wrong field. */
export function parseImportLine(line: string, cryptography: Cryptography): ParsedLine {
  try {
    return parseImportRecord(parseExactJson(line), cryptography);
  } catch {
    return { ok: false, problems: [notJson] };
  }
}

/** Reads a record by the same rules, once its JSON is parsed. */
export const parseImportRecord = (fields: unknown, cryptography: Cryptography): ParsedLine =>
  parseImportFields({ fields, unreadable: new Map(), describe: (path) => path }, cryptography);

/** Reads what a line of another form says, by the same rules. */
export function parseImportFields(
  { fields, unreadable, describe }: Omit<ImportFields, 'line'>,
  cryptography: Cryptography,
): ParsedLine {
  const { data, error } = importLine.safeParse(fields);
  // A field with several problems is described by its first one: the others often follow from it.
  const first = new Map(unreadable);
  for (const issue of error?.issues ?? []) {
    const path = issue.path.join('.');
    if (!first.has(path)) first.set(path, wrongType(issue, fields) ?? issue.message);
  }
  const problems = [...first].map(([path, message]) => ({
    param: path === '' ? null : describe(path),
    message,
  }));
  if (problems.length > 0) return { ok: false, problems };
  const record = data as z.output<typeof importLine>;
  if (record.type !== 'account') return { ok: true, record };
  const id = record.id ?? accountIdOf(record.account, cryptography);
  return { ok: true, record: { type: 'account', account: { id, ...record.account } } };
}

/** `raw_value: is not a number; period: …`, as an operator reads it. */
export const reasonOf = (problems: readonly RecordProblem[]): string =>
  problems
    .map(({ param, message }) => (param === null ? message : `${param}: ${message}`))
    .join('; ');

/** The same again of a reason that names one field. */
export function problemOf(reason: string): RecordProblem {
  const end = reason.indexOf(': ');
  return { param: reason.slice(0, end), message: reason.slice(end + 2) };
}

/**
 * What a text of JSON says, with the amounts of records as they are written, so that no digit of them is lost.
 *
 * @throws SyntaxError
 */
export const parseExactJson = (text: string): unknown => JSON.parse(text, keepExact);

/** Keeps an amount as its text. */
function keepExact(key: string, value: unknown, context?: { source?: string }): unknown {
  const isAmount = key === 'raw_value' || key === 'raw_balance';
  return isAmount && typeof value === 'number' && context?.source !== undefined
    ? JSON.rawJSON(context.source)
    : value;
}

/** An account without an id is told from others by what does not change; the same line yields the same id. */
function accountIdOf(account: Omit<Account, 'id'>, cryptography: Cryptography): string {
  const { companyId, provider, name, type, currency, lastFour } = account;
  const identity = [companyId, provider, name, type, currency, lastFour ?? ''];
  return `acc_${cryptography.sha256(JSON.stringify(identity)).slice(0, 24)}`;
}
