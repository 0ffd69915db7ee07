import type { z } from 'zod';
import type { Cryptography } from '../platform.ts';
import { describeWrongType } from '../wrong-type.ts';
import type { Account } from './account.ts';
import type { LineRecord } from './import-record.ts';
import { importLine } from './import-schema.ts';

/** A record from a file that isn't newline-delimited JSON, such as a spreadsheet. */
export interface ImportFields {
  /** The line where the record begins. The first line has the number 1. One line can hold several records. */
  readonly line: number;
  /** The parsed fields. Amounts are results of JSON.rawJSON, so that no digit is lost. */
  readonly fields: unknown;
  readonly unreadable: ReadonlyMap<string, string>;
  /** Names a field in error messages: `raw_value` becomes `raw_value in column "Saldo"`. */
  describe(path: string): string;
}

export interface RecordProblem {
  /** The path of the field, spelled as in the record. Null if the problem concerns the whole record. */
  readonly param: string | null;
  readonly message: string;
}

export type ParsedLine =
  | { readonly ok: true; readonly record: LineRecord }
  | { readonly ok: false; readonly problems: readonly RecordProblem[] };

export const notJson: RecordProblem = { param: null, message: 'is not valid JSON' };

export function parseImportLine(line: string, cryptography: Cryptography): ParsedLine {
  try {
    return parseImportRecord(parseExactJson(line), cryptography);
  } catch {
    return { ok: false, problems: [notJson] };
  }
}

export const parseImportRecord = (fields: unknown, cryptography: Cryptography): ParsedLine =>
  parseImportFields({ fields, unreadable: new Map(), describe: (path) => path }, cryptography);

export function parseImportFields(
  { fields, unreadable, describe }: Omit<ImportFields, 'line'>,
  cryptography: Cryptography,
): ParsedLine {
  const { data, error } = importLine.safeParse(fields);
  // Reports only the first problem of each field, because the first problem often causes the others.
  const first = new Map(unreadable);
  for (const issue of error?.issues ?? []) {
    const path = issue.path.join('.');
    if (!first.has(path)) first.set(path, describeWrongType(issue, fields) ?? issue.message);
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

/** Parses a text that `reasonOf` returned for a single problem. */
export function problemOf(reason: string): RecordProblem {
  const end = reason.indexOf(': ');
  return { param: reason.slice(0, end), message: reason.slice(end + 2) };
}

/**
 * Parses JSON and keeps every digit of amounts.
 *
 * @throws SyntaxError
 */
export const parseExactJson = (text: string): unknown => JSON.parse(text, keepExactNumbers);

function keepExactNumbers(key: string, value: unknown, context?: { source?: string }): unknown {
  const isAmount = key === 'raw_value' || key === 'raw_balance';
  return isAmount && typeof value === 'number' && context?.source !== undefined
    ? JSON.rawJSON(context.source)
    : value;
}

/** Derives an account ID from the fields that never change. So several lines about one account get the same ID. */
function accountIdOf(account: Omit<Account, 'id'>, cryptography: Cryptography): string {
  const { companyId, provider, name, type, currency, lastFour } = account;
  const identity = [companyId, provider, name, type, currency, lastFour ?? ''];
  return `acc_${cryptography.sha256(JSON.stringify(identity)).slice(0, 24)}`;
}
