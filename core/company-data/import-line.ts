import { z } from 'zod';
import { environments } from '../identity/environment.ts';
import type { Cryptography } from '../identity/ports/cryptography.ts';
import { isPlainText } from '../text.ts';
import { isExpressible } from '../time.ts';
import { accountTypes } from './account.ts';
import { isCompanyId } from './company.ts';
import { parseDecimal } from './decimal.ts';
import { formatAmount } from './display.ts';
import type { ImportRecord } from './import-record.ts';
import { isMetricKey } from './metric.ts';

/** The text of a JSON number, kept so that no digit of an amount is lost on the way in. */
class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const exactFields = new Set(['raw_value', 'raw_balance']);

const text = z
  .string()
  .min(1, 'is empty')
  .max(200, 'is longer than 200 characters')
  .refine(isPlainText, 'holds a character that cannot be stored');
const name = text.refine((value) => value.trim() === value, 'begins or ends with space');
const companyId = z.string().refine(isCompanyId, 'has not the form co_…');
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
  .instanceof(NumberText, { error: 'is not a number' })
  .transform((number, context) => {
    const exact = parseDecimal(number.text);
    if (exact !== null) return exact;
    context.addIssue('has more than 25 digits before or 12 after the point');
    return z.NEVER;
  });

const companyRecord = z.object({
  type: z.literal('company'),
  id: companyId,
  name,
  environment: z.enum(environments),
});

const metricRecord = z.object({
  type: z.literal('metric'),
  company_id: companyId,
  key: z.string().refine(isMetricKey, 'is not a metric key'),
  label: text.optional(),
  currency: currency.nullish(),
  period: day,
  source: z.object({ system: text, method: text, last_synced: instant }),
  verification: z
    .object({
      verified: z.boolean(),
      signed: z
        .literal(false, 'cannot be imported: a signature cannot come from outside')
        .optional(),
    })
    .optional(),
  confidence: text.optional(),
  value: text.optional(),
  raw_value: amount,
  category: text.optional(),
  as_of: instant.optional(),
});

const sourceRecord = z.object({
  type: z.literal('source'),
  company_id: companyId,
  provider: text,
  status: text,
  account_name: text,
  last_synced_at: instant,
});

const accountRecord = z.object({
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
    .nullish(),
  last_synced_at: instant,
});

const importLine = z.discriminatedUnion(
  'type',
  [companyRecord, metricRecord, sourceRecord, accountRecord],
  'is not one of company, metric, source, account',
);

type ParsedRecord = z.output<typeof importLine>;

export type ParsedLine =
  | { readonly ok: true; readonly record: ImportRecord }
  | { readonly ok: false; readonly reason: string };

/** Reads one line of an import: a JSON object by the contract's field names. The reason names every wrong field. */
export function parseImportLine(line: string, cryptography: Cryptography): ParsedLine {
  let json: unknown;
  try {
    json = JSON.parse(line, keepExact);
  } catch {
    return { ok: false, reason: 'is not valid JSON' };
  }
  const result = importLine.safeParse(json);
  if (result.success) return { ok: true, record: complete(result.data, cryptography) };
  const reason = result.error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
  return { ok: false, reason };
}

function keepExact(key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && exactFields.has(key) && context?.source !== undefined
    ? new NumberText(context.source)
    : value;
}

/** Fills in what a line may leave out. Nothing is invented: what is not known is said to be unknown. */
function complete(parsed: ParsedRecord, cryptography: Cryptography): ImportRecord {
  switch (parsed.type) {
    case 'company':
      return {
        type: 'company',
        company: { id: parsed.id, name: parsed.name, environment: parsed.environment },
      };
    case 'metric':
      return {
        type: 'metric',
        metric: {
          companyId: parsed.company_id,
          key: parsed.key,
          label: parsed.label ?? labelOf(parsed.key),
          currency: parsed.currency ?? null,
          period: parsed.period,
          source: {
            system: parsed.source.system,
            method: parsed.source.method,
            lastSynced: parsed.source.last_synced,
          },
          verification: { verified: parsed.verification?.verified ?? false, signed: false },
          confidence: parsed.confidence ?? 'unknown',
          value: parsed.value ?? formatAmount(parsed.raw_value, parsed.currency ?? null),
          rawValue: parsed.raw_value,
          category: parsed.category ?? 'other',
          asOf: parsed.as_of ?? parsed.source.last_synced,
        },
      };
    case 'source':
      return {
        type: 'source',
        source: {
          companyId: parsed.company_id,
          provider: parsed.provider,
          status: parsed.status,
          accountName: parsed.account_name,
          lastSyncedAt: parsed.last_synced_at,
        },
      };
    case 'account':
      return {
        type: 'account',
        account: {
          id: parsed.id ?? accountIdOf(parsed, cryptography),
          companyId: parsed.company_id,
          provider: parsed.provider,
          name: parsed.name,
          type: parsed.account_type,
          currency: parsed.currency,
          balance: parsed.balance ?? formatAmount(parsed.raw_balance, parsed.currency),
          rawBalance: parsed.raw_balance,
          lastFour: parsed.last_four ?? null,
          lastSyncedAt: parsed.last_synced_at,
        },
      };
  }
}

/** An account without an id is told from others by what does not change; the same line yields the same id. */
function accountIdOf(account: z.output<typeof accountRecord>, cryptography: Cryptography): string {
  const identity = [
    account.company_id,
    account.provider,
    account.name,
    account.account_type,
    account.currency,
    account.last_four ?? '',
  ];
  const digest = cryptography.sha256(JSON.stringify(identity));
  return `acc_${digest.slice(0, 24)}`;
}

/** `cash_balance` → `Cash balance`. */
function labelOf(key: string): string {
  const words = key.replaceAll(/[_.-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
