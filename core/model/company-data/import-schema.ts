import { z } from 'zod';
import { environments } from '../identity/investor.ts';
import { isPlainLine, isPlainText, notPlain } from '../text.ts';
import { isExpressible } from '../time.ts';
import { accountTypes } from './account.ts';
import { isCompanyId, isSandboxCompany } from './company.ts';
import { formatAmount, parseDecimal } from './decimal.ts';
import { type ImportedMetric, isMetricKey, labelOf } from './metric.ts';
import { endOfInterval, intervalRange, isInterval, type ReportedSource } from './source.ts';

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

/** It is shown with every read of the value. */
const maxSignatureLength = 4_096;

/** What an integer of the database holds. */
const maxRevision = 2_147_483_647;

const someText = z.string().min(1, 'is empty').max(200, 'is longer than 200 characters');
const text = someText.refine(isPlainText, notPlain);
const name = someText
  .refine(isPlainLine, notPlain)
  .refine((value) => value.trim() === value, 'begins or ends with space');
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
const interval = z.iso
  .duration({ error: 'is not an ISO 8601 duration like PT1H, P7D or P1M', abort: true })
  .refine(isInterval, intervalRange);
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
    value: text.optional(),
    raw_value: amount,
    category: text.optional(),
    as_of: instant.optional(),
  })
  .transform((line) => {
    const { type, company_id, source, verification, revision, raw_value, as_of, ...rest } = line;
    const { system, method, last_synced: lastSynced, signature: sourceSignature } = source;
    const { verified, signature } = verification;
    const unsaid = (['label', 'category'] as const).filter((field) => rest[field] === undefined);
    const metric: ImportedMetric = {
      ...rest,
      verification: {
        verified,
        signed: false,
        ...(sourceSignature !== undefined && { sourceSignature }),
      },
      companyId: company_id,
      label: rest.label ?? labelOf(rest.key),
      category: rest.category ?? 'other',
      ...(unsaid.length > 0 && { unsaid }),
      source: { system, method, lastSynced },
      value: rest.value ?? formatAmount(raw_value, rest.currency),
      rawValue: raw_value,
      asOf: as_of ?? lastSynced,
    };
    if (revision === undefined && signature === undefined) return { type, metric };
    const place = { revision: revision ?? null, signature: signature ?? null };
    return { type: 'exported' as const, metric, ...place };
  });

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
      const message = 'leads beyond the year 9999';
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

/** What a line may hold, by its type. */
export const importLine = z.discriminatedUnion(
  'type',
  [
    companyRecord,
    metricRecord,
    sourceRecord,
    accountRecord,
    portfolioRecord,
    receiptRecord,
    headRecord,
  ],
  'is not one of company, metric, source, account, portfolio',
);
