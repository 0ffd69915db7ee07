import type { MetricPayload, ReceiptPayload } from '../../verify/index.ts';
import { type SigningKey, signMetric, signReceipt } from './signing.ts';

/** The signed payload of a value that isn't voided. */
export type ValuePayload = MetricPayload & { readonly raw_value: string };

export const samplePayload: ValuePayload = {
  v: 1,
  environment: 'test',
  company_id: 'co_harbor',
  key: 'cash_balance',
  period: '2026-10-31',
  raw_value: '4182300.55',
  currency: 'USD',
  as_of: '2026-10-31T23:59:59.000Z',
  source: { system: 'Café Bank', method: 'api', last_synced: '2026-11-01T04:00:00.000Z' },
  revision: 1,
  signed_at: '2026-11-01T04:00:01.250Z',
};

export function restMetric(payload: MetricPayload, signature: string) {
  const { company_id, key, period, currency, as_of, source, raw_value } = payload;
  return {
    company_id,
    key,
    label: 'Cash balance',
    currency,
    period,
    source: { ...source },
    verification: {
      verified: true,
      signed: true,
      signature,
      public_key_url: 'http://127.0.0.1:3000/.well-known/jwks.json',
    },
    confidence: 'high',
    value: '$4,182,300.55',
    raw_value: Number(raw_value),
    raw_value_text: raw_value,
    category: 'liquidity',
    as_of,
  };
}

/** With the field names in GraphQL and tRPC. */
export function camelMetric(payload: MetricPayload, signature: string) {
  const { system, method, last_synced } = payload.source;
  return {
    companyId: payload.company_id,
    key: payload.key,
    currency: payload.currency,
    period: payload.period,
    source: { system, method, lastSynced: last_synced },
    verification: {
      signed: true,
      signature,
      revision: payload.revision,
      signedAt: payload.signed_at,
    },
    rawValue: payload.raw_value,
    asOf: payload.as_of,
  };
}

export const signedSample = (key: SigningKey, payload: MetricPayload = samplePayload) =>
  restMetric(payload, signMetric(payload, key));

const sampleReceipt: ReceiptPayload = {
  v: 1,
  receipt_id: 'rcpt_1',
  previous_receipt_id: null,
  event_id: 'evt_1',
  event_type: 'access_request.created',
  issued_at: '2026-11-01T08:00:00.000Z',
  environment: 'test',
  access_request_id: 'ar_1',
  data_subject: { id: 'co_harbor', name: 'Harbor Robotics' },
  data_recipient: { id: 'inv_1', name: 'Ångström Capital' },
  purpose: 'Quarterly review',
  requested_scopes: ['metrics:read', 'sources:read'],
  approved_scopes: [],
  valid_until: null,
  status: 'pending',
  actor: { type: 'investor', id: 'inv_1' },
  reason: null,
};

/** The access request was created, partly approved, and revoked. */
export const sampleReceipts: readonly [ReceiptPayload, ReceiptPayload, ReceiptPayload] = [
  sampleReceipt,
  {
    ...sampleReceipt,
    receipt_id: 'rcpt_2',
    previous_receipt_id: 'rcpt_1',
    event_id: 'evt_2',
    event_type: 'access_request.approved',
    issued_at: '2026-11-02T08:00:00.000Z',
    approved_scopes: ['metrics:read'],
    valid_until: '2027-11-02T08:00:00.000Z',
    status: 'approved',
    v: 2,
    actor: { type: 'contact', id: 'ct_1', signed_in_by: 'oidc' },
  },
  {
    ...sampleReceipt,
    receipt_id: 'rcpt_3',
    previous_receipt_id: 'rcpt_2',
    event_id: 'evt_3',
    event_type: 'access_request.revoked',
    issued_at: '2026-11-03T08:00:00.000Z',
    approved_scopes: ['metrics:read'],
    valid_until: '2027-11-02T08:00:00.000Z',
    status: 'revoked',
    actor: { type: 'operator', id: null },
    reason: 'The round is over.',
  },
];

/** The approval of the first sample by two people, with terms. The members have the signed order. */
export const receiptWithTerms = {
  v: 3,
  receipt_id: 'rcpt_2',
  previous_receipt_id: 'rcpt_1',
  event_id: 'evt_2',
  event_type: 'access_request.approved',
  issued_at: '2026-11-02T08:00:00.000Z',
  environment: 'test',
  access_request_id: 'ar_1',
  data_subject: sampleReceipt.data_subject,
  data_recipient: sampleReceipt.data_recipient,
  purpose: 'Quarterly review',
  requested_scopes: ['metrics:read', 'sources:read'],
  approved_scopes: ['metrics:read'],
  requested_terms: { metric_keys: ['arr', 'cash_balance'], history_from: null, use: 'ongoing' },
  approved_terms: { metric_keys: ['arr'], history_from: '2026-01-01', use: 'once' },
  paused_at: null,
  valid_until: '2027-11-02T08:00:00.000Z',
  status: 'approved',
  actor: { type: 'contact', id: 'ct_2', signed_in_by: 'link' },
  approvals: [
    { type: 'company_key', id: 'ck_1', created_at: '2026-11-01T09:00:00.000Z' },
    { type: 'contact', id: 'ct_2', signed_in_by: 'link', created_at: '2026-11-02T08:00:00.000Z' },
  ],
  reason: null,
} as const satisfies ReceiptPayload;

export const receiptItem = (payload: ReceiptPayload, key: SigningKey) => ({
  id: payload.receipt_id,
  object: 'consent_receipt',
  jws: signReceipt(payload, key),
});
