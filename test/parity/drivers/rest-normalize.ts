import assert from 'node:assert/strict';
import type { Json } from '../../support/http-client.ts';
import type {
  NormalizedAccessRequest,
  NormalizedAccount,
  NormalizedCompany,
  NormalizedDataEvent,
  NormalizedMetric,
  NormalizedReceipt,
  NormalizedSource,
} from './driver.ts';
import { withoutSignature } from './signature.ts';

/** Keeps each amount as the text in the answer, so that no digit is lost. */
export function parseExactly(text: string): Json {
  return JSON.parse(text, (key, value, context?: { source?: string }) =>
    key === 'raw_value' || key === 'raw_balance' ? context?.source : value,
  );
}

export const listOf =
  <Item>(told: (item: Json) => Item) =>
  (body: Json): Item[] =>
    body.data.map(told);

export function normalizeCompany({
  object,
  access_request_id,
  ...company
}: Json): NormalizedCompany {
  const { id, name, access, access_paused: accessPaused = false, ...grant } = company;
  assert.equal(object, 'company');
  const { approved_scopes: approvedScopes, access_expires_at: expiresAt, ...rest } = grant;
  assert.deepEqual(rest, {});
  assert.equal(approvedScopes === undefined, expiresAt === undefined, 'half a grant');
  return {
    id,
    name,
    access,
    accessPaused,
    grant: approvedScopes === undefined ? null : { approvedScopes, expiresAt },
    accessRequestId: access_request_id ?? null,
  };
}

export function normalizeReceipt({ object, ...fields }: Json): NormalizedReceipt {
  assert.equal(object, 'consent_receipt');
  return fields;
}

/** Fields that the service adds to the API contract. REST leaves them out without a value. */
const additions = [
  'pending_scopes',
  'pending_purpose',
  'pending_terms',
  'reason',
  'decided_at',
] as const;

export function normalizeAccessRequest({ object, ...fields }: Json): NormalizedAccessRequest {
  assert.equal(object, 'access_request');
  for (const name of additions) assert.ok(fields[name] !== null, `${name} is absent when null`);
  assert.notDeepEqual(fields.pending_scopes, []);
  const none = { pendingPurpose: null, pendingTerms: null, reason: null, decidedAt: null };
  return { pendingScopes: [], ...none, ...inCamelCase(fields) };
}

export function normalizeMetric(fields: Json): NormalizedMetric {
  const { rawValueText, ...metric } = inCamelCase(fields);
  assert.equal(rawValueText, metric.rawValue);
  assert.notEqual(metric.currency, null);
  return withoutSignature({ currency: null, ...metric }, 'not shown');
}

export function normalizeDataEvent({ type, data }: Json): NormalizedDataEvent {
  const { company_id: company, data_version, ...changed } = data;
  assert.match(data_version, /^\d+$/);
  return { type, company, ...inCamelCase(changed) };
}

export function normalizeSource({ object, ...fields }: Json): NormalizedSource {
  assert.equal(object, 'source');
  return inCamelCase(fields);
}

export function normalizeAccount({ object, ...fields }: Json): NormalizedAccount {
  assert.equal(object, 'account');
  const { rawBalanceText, ...account } = inCamelCase(fields);
  assert.equal(rawBalanceText, account.rawBalance);
  return account;
}

/** Converts all names, so that a test notices an unexpected field. */
function inCamelCase(value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      inCamelCase(inner),
    ]),
  );
}
