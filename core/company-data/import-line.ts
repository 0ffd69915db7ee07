import { z } from 'zod';
import { environments } from '../identity/investor.ts';
import type { Cryptography } from '../platform.ts';
import { isPlainText } from '../text.ts';
import { isExpressible } from '../time.ts';
import { type Account, accountTypes } from './account.ts';
import { type Company, isCompanyId, isSandboxCompany } from './company.ts';
import { formatAmount, parseDecimal } from './decimal.ts';
import { type ImportedMetric, isMetricKey } from './metric.ts';
import type { Source } from './source.ts';

declare global {
  interface JSON {
    rawJSON(text: string): RawJson;
    isRawJSON(value: unknown): value is RawJson;
  }
}

/** The text of a JSON value, as the platform keeps it. */
interface RawJson {
  readonly rawJSON: string;
}

/** One thing that an import says about a company. */
export type ImportRecord =
  | { readonly type: 'company'; readonly company: Omit<Company, 'createdAt'> }
  | { readonly type: 'metric'; readonly metric: ImportedMetric }
  | { readonly type: 'source'; readonly source: Source }
  | { readonly type: 'account'; readonly account: Account };

/** It is shown with every read of the value. */
const maxSignatureLength = 4_096;

const text = z
  .string()
  .min(1, 'is empty')
  .max(200, 'is longer than 200 characters')
  .refine(isPlainText, 'holds a character that cannot be stored');
const name = text.refine((value) => value.trim() === value, 'begins or ends with space');
const companyId = z
  .string()
  .refine(isCompanyId, 'has not the form co_…')
  .refine((id) => !isSandboxCompany(id), 'is reserved for the sandbox');
const currency = z.string().regex(/^[A-Z]{3}$/, 'is not a three-letter currency code');
const outOfYears = 'lies outside the years 1 to 9999';
const day = z.iso
  .date('is not a date of the form YYYY-MM-DD')
  .refine((value) => isExpressible(new Date(value)), outOfYears);
const instant = z.iso
  .datetime({ offset: true, error: 'is not an RFC 3339 date-time' })
  .transform((value) => new Date(value))
  .refine(isExpressible, outOfYears);
const amount = z
  .custom<RawJson>(JSON.isRawJSON, 'is not a number')
  .transform(({ rawJSON }, context) => {
    const exact = parseDecimal(rawJSON);
    if (exact !== null) return exact;
    context.addIssue('has more than 25 digits before or 12 after the point');
    return z.NEVER;
  });

const compactJws = z
  .string()
  .max(maxSignatureLength, `is longer than ${maxSignatureLength} characters`)
  .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'is not a compact JWS');

const companyRecord = z
  .object({
    type: z.literal('company'),
    id: companyId,
    name,
    environment: z.enum(environments),
  })
  .transform(({ type, ...company }) => ({ type, company }));

// What a line may leave out is filled in, but nothing is invented: what is not known is said to be unknown.
const metricRecord = z
  .object({
    type: z.literal('metric'),
    company_id: companyId,
    key: z.string().refine(isMetricKey, 'is not a metric key'),
    label: text.optional(),
    currency: currency.nullable().default(null),
    period: day,
    source: z.object({
      system: text,
      method: text,
      last_synced: instant,
      signature: compactJws.optional(),
    }),
    verification: z
      .object({
        verified: z.boolean(),
        signed: z
          .literal(false, 'cannot be imported: a signature cannot come from outside')
          .default(false),
      })
      .default({ verified: false, signed: false }),
    confidence: text.default('unknown'),
    value: text.optional(),
    raw_value: amount,
    category: text.default('other'),
    as_of: instant.optional(),
  })
  .transform(({ type, company_id, source, verification, raw_value, as_of, ...rest }) => {
    const { system, method, last_synced: lastSynced, signature } = source;
    return {
      type,
      metric: {
        ...rest,
        verification: {
          ...verification,
          ...(signature !== undefined && { sourceSignature: signature }),
        },
        companyId: company_id,
        label: rest.label ?? labelOf(rest.key),
        source: { system, method, lastSynced },
        value: rest.value ?? formatAmount(raw_value, rest.currency),
        rawValue: raw_value,
        asOf: as_of ?? lastSynced,
      },
    };
  });

const sourceRecord = z
  .object({
    type: z.literal('source'),
    company_id: companyId,
    provider: text,
    status: text,
    account_name: text,
    last_synced_at: instant,
  })
  .transform(({ type, company_id, account_name, last_synced_at, ...rest }) => ({
    type,
    source: {
      ...rest,
      companyId: company_id,
      accountName: account_name,
      lastSyncedAt: last_synced_at,
    },
  }));

const accountRecord = z
  .object({
    type: z.literal('account'),
    id: z
      .string()
      .regex(/^[0-9A-Za-z_-]{1,64}$/, 'is not an id')
      .optional(),
    company_id: companyId,
    provider: text,
    name: text,
    account_type: z.enum(accountTypes),
    currency,
    balance: text.optional(),
    raw_balance: amount,
    last_four: z
      .string()
      .regex(/^[0-9A-Za-z]{4}$/, 'is not four characters')
      .nullable()
      .default(null),
    last_synced_at: instant,
  })
  .transform(({ type, id, company_id, account_type, raw_balance, balance, ...rest }) => {
    const { last_four: lastFour, last_synced_at: lastSyncedAt, ...named } = rest;
    return {
      type,
      id,
      account: {
        ...named,
        companyId: company_id,
        type: account_type,
        balance: balance ?? formatAmount(raw_balance, named.currency),
        rawBalance: raw_balance,
        lastFour,
        lastSyncedAt,
      },
    };
  });

const importLine = z.discriminatedUnion(
  'type',
  [companyRecord, metricRecord, sourceRecord, accountRecord],
  'is not one of company, metric, source, account',
);

/** One record as a file of another form than JSON says it. */
export interface ImportFields {
  /** Where it begins in its file, counted from 1. Several records may be of one line. */
  readonly line: number;
  /** As JSON.parse gives them, but amounts by JSON.rawJSON, so that no digit of them is lost. */
  readonly fields: unknown;
  /** What the file holds and nobody can read, by the path of its field, and why. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Where a field comes from, for the reasons: `raw_value` → `raw_value in column "Saldo"`. */
  describe(path: string): string;
}

export type ParsedLine =
  | { readonly ok: true; readonly record: ImportRecord }
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

/** `cash_balance` → `Cash balance`. */
function labelOf(key: string): string {
  const words = key.replaceAll(/[_.-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
