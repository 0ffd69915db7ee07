import type { Cryptography } from '../platform.ts';
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

export type ParsedLine =
  | { readonly ok: true; readonly record: LineRecord }
  | { readonly ok: false; readonly reason: string };

/** Reads one line of an import: a JSON object by the contract's field names. The reason names every wrong field. */
export function parseImportLine(line: string, cryptography: Cryptography): ParsedLine {
  let fields: unknown;
  try {
    fields = JSON.parse(line, keepExact);
  } catch {
    return { ok: false, reason: 'is not valid JSON' };
  }
  const describe = (path: string) => path;
  return parseImportFields({ fields, unreadable: new Map(), describe }, cryptography);
}

/** Reads what a line of another form says, by the same rules. */
export function parseImportFields(
  { fields, unreadable, describe }: Omit<ImportFields, 'line'>,
  cryptography: Cryptography,
): ParsedLine {
  const { data, error } = importLine.safeParse(fields);
  const refused = (error?.issues ?? [])
    .map(({ path, message }) => [path.join('.'), message] as const)
    .filter(([path]) => !unreadable.has(path));
  const reasons = [...unreadable, ...refused].map(([path, reason]) =>
    path === '' ? reason : `${describe(path)}: ${reason}`,
  );
  if (data === undefined || reasons.length > 0) return { ok: false, reason: reasons.join('; ') };
  if (data.type !== 'account') return { ok: true, record: data };
  const id = data.id ?? accountIdOf(data.account, cryptography);
  return { ok: true, record: { type: 'account', account: { id, ...data.account } } };
}

/** Keeps an amount as its text, so that no digit of it is lost. */
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
