import { z } from 'zod';
import { environments } from '../identity/investor.ts';
import { isPlainLine, isPlainText, maxReasonLength, notPlain } from '../text.ts';
import { isExpressible } from '../time.ts';
import { typeNameOf } from '../wrong-type.ts';
import { accountTypes } from './account.ts';
import { isCompanyId, isSandboxCompany } from './company.ts';
import { type Decimal, formatAmount, parseDecimal } from './decimal.ts';
import { namesOtherCurrency, showsAmount } from './display-text.ts';
import { type ImportedRevision, isMetricKey, labelOf } from './metric.ts';
import { endOfInterval, intervalRange, isInterval, type ReportedSource } from './source.ts';

declare global {
  interface JSON {
    rawJSON(text: string): RawJson;
    isRawJSON(value: unknown): value is RawJson;
  }
}

interface RawJson {
  readonly rawJSON: string;
}

/** The maximum length of a signature. Every read of a value returns its signature, so the length must be limited. */
const maxSignatureLength = 4_096;

/** The largest value of an integer column in the database. */
const maxRevision = 2_147_483_647;

const someText = z.string().min(1, 'is empty').max(200, 'is longer than 200 characters');
const text = someText.refine(isPlainText, notPlain);
const voidReason = z
  .string()
  .min(1, 'is empty')
  .max(maxReasonLength, `is longer than ${maxReasonLength} characters`)
  .refine(isPlainText, notPlain);
const name = someText
  .refine(isPlainLine, notPlain)
  .refine((value) => value.trim() === value, 'begins or ends with a space');
const companyId = z
  .string()
  .refine(isCompanyId, 'doesn’t have the form co_…')
  .refine((id) => !isSandboxCompany(id), 'is reserved for the sandbox');
const metricKey = z.string().refine(isMetricKey, 'is not a metric key');
const currency = z.string().regex(/^[A-Z]{3}$/, 'is not a three-letter currency code');
const yearProblem = 'is outside the years 1 to 9999';
const day = z.iso.date().refine((value) => isExpressible(new Date(value)), yearProblem);
const instant = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value))
  .refine(isExpressible, yearProblem);
const interval = z.iso
  .duration({ error: 'is not an ISO 8601 duration like PT1H, P7D or P1M', abort: true })
  .refine(isInterval, intervalRange);

const plainDecimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Accepts JSON numbers and texts, because a JavaScript number can't keep 20 digits. */
const isAmount = (value: unknown): boolean =>
  JSON.isRawJSON(value) || (typeof value === 'string' && plainDecimal.test(value));

function describeAmountProblem(input: unknown): string {
  if (input === undefined) return 'is missing';
  if (typeof input === 'string' || typeof input === 'number') return 'is not a number';
  return `must be a number, not ${typeNameOf(input)}`;
}

const amount = z
  .custom<RawJson | string>(isAmount, { error: ({ input }) => describeAmountProblem(input) })
  .transform((value, context) => {
    const exact = parseDecimal(typeof value === 'string' ? value : value.rawJSON);
    if (exact !== null) return exact;
    context.addIssue('has more than 25 digits before or after the point');
    return z.NEVER;
  });

/** Returns or formats the display text. Reports a problem if the text doesn't show the amount. */
function displayText(
  context: z.RefinementCtx,
  field: 'value' | 'balance',
  amount: Decimal,
  currency: string | null,
  text: string | undefined,
): string {
  if (text === undefined) return formatAmount(amount, currency);
  if (!showsAmount(text, amount)) {
    const message = `doesn't show the number of raw_${field}, ${amount}. Leave out ${field} to have the number formatted`;
    context.addIssue({ code: 'custom', path: [field], message });
  } else if (currency !== null && namesOtherCurrency(text, currency)) {
    const message = `names a currency other than ${currency}. Leave out ${field} to have the number formatted`;
    context.addIssue({ code: 'custom', path: [field], message });
  }
  return text;
}

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

// Missing optional fields get neutral defaults such as "unknown", never invented facts.
const metricRecord = z
  .object({
    type: z.literal('metric'),
    company_id: companyId,
    key: metricKey,
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
        signed: z.boolean().default(false),
        signature: compactJws.optional(),
      })
      .refine(({ signed, signature }) => signed === (signature !== undefined), {
        path: ['signed'],
        error: 'must be true with a signature, and false without one',
      })
      .default({ verified: false, signed: false }),
    revision: z.int().min(1).max(maxRevision).optional(),
    confidence: text.default('unknown'),
    value: text.nullish(),
    raw_value: amount.nullable(),
    void_reason: voidReason.nullish(),
    category: text.optional(),
    as_of: instant.optional(),
  })
  .transform((line, context) => {
    const { type, company_id, source, verification, revision, as_of, ...named } = line;
    const { raw_value, value, void_reason, ...rest } = named;
    const { system, method, last_synced: lastSynced, signature: sourceSignature } = source;
    const { verified, signature } = verification;
    const defaultedFields = (['label', 'category'] as const).filter(
      (field) => rest[field] === undefined,
    );
    const isExported = revision !== undefined || signature !== undefined;
    const refuse = (path: string, message: string) => {
      context.addIssue({ code: 'custom', path: [path], message });
      return z.NEVER;
    };
    // Only an exported record can have null as `raw_value`. To void a value, callers send a void record.
    if (raw_value === null && !isExported) return refuse('raw_value', 'must be a number, not null');
    if (raw_value === null && value != null) {
      return refuse('value', 'must be null, because raw_value is null');
    }
    if (raw_value !== null && void_reason != null) {
      return refuse('void_reason', 'is allowed only if raw_value is null');
    }
    const metric: ImportedRevision = {
      ...rest,
      verification: {
        verified,
        signed: false,
        ...(sourceSignature !== undefined && { sourceSignature }),
      },
      companyId: company_id,
      label: rest.label ?? labelOf(rest.key),
      category: rest.category ?? 'other',
      ...(defaultedFields.length > 0 && { defaultedFields }),
      source: { system, method, lastSynced },
      ...(raw_value === null
        ? { value: null, rawValue: null, voidReason: void_reason ?? null }
        : {
            value: displayText(context, 'value', raw_value, rest.currency, value ?? undefined),
            rawValue: raw_value,
          }),
      asOf: as_of ?? lastSynced,
    };
    if (!isExported) return { type, metric };
    const identity = { revision: revision ?? null, signature: signature ?? null };
    return { type: 'exported' as const, metric, ...identity };
  });

const voidRecord = z
  .object({
    type: z.literal('void'),
    company_id: companyId,
    key: metricKey,
    period: day,
    reason: voidReason.nullish(),
  })
  .transform(({ type, company_id, key, period, reason = null }) => ({
    type,
    void: { companyId: company_id, key, period, reason },
  }));

const sourceRecord = z
  .object({
    type: z.literal('source'),
    company_id: companyId,
    provider: text,
    status: text,
    account_name: text,
    last_synced_at: instant,
    expected_every: interval.nullable().default(null),
  })
  .transform((line, context) => {
    const { type, company_id, provider, status, account_name, last_synced_at, expected_every } =
      line;
    const staleAt = expected_every === null ? null : endOfInterval(last_synced_at, expected_every);
    if (staleAt !== null && !isExpressible(staleAt)) {
      const message = 'leads to a time after the year 9999';
      context.addIssue({ code: 'custom', path: ['expected_every'], message });
      return z.NEVER;
    }
    const source: ReportedSource = {
      companyId: company_id,
      provider,
      status,
      accountName: account_name,
      lastSyncedAt: last_synced_at,
      expectedEvery: expected_every,
      staleAt,
    };
    return { type, source };
  });

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
  .transform((line, context) => {
    const { type, id, company_id, account_type, raw_balance, balance, ...rest } = line;
    const { last_four: lastFour, last_synced_at: lastSyncedAt, ...named } = rest;
    return {
      type,
      id,
      account: {
        ...named,
        companyId: company_id,
        type: account_type,
        balance: displayText(context, 'balance', raw_balance, named.currency, balance),
        rawBalance: raw_balance,
        lastFour,
        lastSyncedAt,
      },
    };
  });

const portfolioRecord = z
  .object({ type: z.literal('portfolio'), investor_id: text, company_id: companyId })
  .transform(({ type, investor_id: investorId, company_id }) => ({
    type,
    membership: { investorId, companyId: company_id },
  }));

const receiptRecord = z
  .object({ type: z.literal('consent_receipt') })
  .transform(() => ({ type: 'receipt' as const }));

const headRecord = z
  .object({ type: z.literal('consent_receipts_head') })
  .transform(() => ({ type: 'receipts_head' as const }));

export const importLine = z.discriminatedUnion(
  'type',
  [
    companyRecord,
    metricRecord,
    sourceRecord,
    accountRecord,
    voidRecord,
    portfolioRecord,
    receiptRecord,
    headRecord,
  ],
  'is not one of company, metric, source, account, void, portfolio',
);
