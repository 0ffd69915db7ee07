import type { z } from 'zod';
import type { Cryptography } from '../platform.ts';
import { wrongType } from '../wrong-type.ts';
import type { Account } from './account.ts';
import type { LineRecord } from './import-record.ts';
import { importLine } from './import-schema.ts';

/** A record from a file that isn't NDJSON. */
export interface ImportFields {
  /** The line on which the record begins, counted from 1. One line can hold several records. */
  readonly line: number;
  /** As JSON.parse returns them, but with amounts from JSON.rawJSON, so that no digit is lost. */
  readonly fields: unknown;
  /** The fields that can't be read, by path, with the reason. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Describes where a field comes from, for error messages: `raw_value` → `raw_value in column "Saldo"`. */
  describe(path: string): string;
}

/** A problem of a record or of one of its fields. */
export interface RecordProblem {
  /** The path of the field, spelled as in the record. Null if the problem concerns the whole record. */
  readonly param: string | null;
  readonly message: string;
}

export type ParsedLine =
  | { readonly ok: true; readonly record: LineRecord }
  | { readonly ok: false; readonly problems: readonly RecordProblem[] };

export const notJson: RecordProblem = { param: null, message: 'is not valid JSON' };

/** Parses one line of an import: a JSON object with the contract's field names. The problems name every wrong field. */
export function parseImportLine(line: string, cryptography: Cryptography): ParsedLine {
  try {
    return parseImportRecord(parseExactJson(line), cryptography);
  } catch {
    return { ok: false, problems: [notJson] };
  }
}

/** Checks a record by the same rules after its JSON is parsed. */
export const parseImportRecord = (fields: unknown, cryptography: Cryptography): ParsedLine =>
  parseImportFields({ fields, unreadable: new Map(), describe: (path) => path }, cryptography);

/** Checks a record of another file format by the same rules. */
export function parseImportFields(
  { fields, unreadable, describe }: Omit<ImportFields, 'line'>,
  cryptography: Cryptography,
): ParsedLine {
  const { data, error } = importLine.safeParse(fields);
  // Reports only the first problem of a field, because the others often follow from it.
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

/** Formats problems for an operator: `raw_value: is not a number; period: …`. */
export const reasonOf = (problems: readonly RecordProblem[]): string =>
  problems
    .map(({ param, message }) => (param === null ? message : `${param}: ${message}`))
    .join('; ');

/** Parses a reason that names one field back into a problem. */
export function problemOf(reason: string): RecordProblem {
  const end = reason.indexOf(': ');
  return { param: reason.slice(0, end), message: reason.slice(end + 2) };
}

/**
 * Parses JSON and keeps every digit of the amounts of records.
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

/** Derives an account ID from the fields that don't change, so that the same line always gets the same ID. */
function accountIdOf(account: Omit<Account, 'id'>, cryptography: Cryptography): string {
  const { companyId, provider, name, type, currency, lastFour } = account;
  const identity = [companyId, provider, name, type, currency, lastFour ?? ''];
  return `acc_${cryptography.sha256(JSON.stringify(identity)).slice(0, 24)}`;
}
