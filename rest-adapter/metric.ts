import { z } from 'zod';
import type { Metric, MetricRevision } from '#core';
import { listSchema } from './list.ts';
import {
  companyIdSchema,
  currencySchema,
  instantSchema,
  metricKeySchema,
  presentAmount,
} from './schemas.ts';

export const metricSchema = z
  .object({
    company_id: companyIdSchema,
    key: metricKeySchema,
    label: z.string().meta({ description: 'Display name.' }),
    currency: currencySchema
      .optional()
      .meta({ description: 'ISO 4217 code. Absent if the metric isn’t money.', example: 'USD' }),
    period: z.iso.date().meta({ description: 'Date of the period.' }),
    source: z
      .object({
        system: z.string().meta({ description: 'The system that the value comes from.' }),
        method: z.string().meta({ description: 'How the value was obtained.' }),
        last_synced: instantSchema,
      })
      .meta({ description: 'The source of the value.' }),
    verification: z
      .object({
        verified: z.boolean(),
        signed: z.boolean(),
        signature: z.string().optional().meta({
          description:
            'A compact JWS (`metric+jws`, Ed25519) that contains the signed fields: compare each of them with the metric. Absent if signed is false.',
        }),
        public_key_url: z.url().optional().meta({
          description:
            'The address of the JSON Web Key Set with the signing key. Absent if signed is false.',
        }),
        source_signature: z.string().optional().meta({
          description:
            'A signature by a signer that the company registered: a compact JWS, unchanged. Absent without one.',
          'x-addition': true,
        }),
      })
      .meta({
        description: 'Whether the value was checked against its source, and its signature.',
      }),
    confidence: z.string().meta({ description: 'Qualitative level.' }),
    value: z.string().meta({ description: 'Formatted for display.' }),
    raw_value: z.number().meta({
      description:
        'The exact number, for programs. It can have more digits than a floating-point number can hold.',
    }),
    raw_value_text: z.string().meta({
      description:
        'The same number as text, as in the signature: a plain decimal with every digit.',
      'x-addition': true,
    }),
    category: z.string(),
    as_of: instantSchema.meta({ description: 'The time the value is valid for.' }),
  })
  .meta({
    id: 'Metric',
    description: 'The value of a metric for one period, with its source and verification.',
  });

type PresentedMetric = z.output<typeof metricSchema>;

export const presentMetric = (metric: Metric): PresentedMetric =>
  presentWith(metric, {
    value: metric.value,
    raw_value: presentAmount(metric.rawValue),
    raw_value_text: metric.rawValue,
  });

const noValue = { value: null, raw_value: null, raw_value_text: null };

/** A revision in exports and on the command line. The API never returns a voided one. */
export const presentRevision = (revision: MetricRevision) =>
  revision.rawValue === null
    ? { ...presentWith(revision, noValue), void_reason: revision.voidReason }
    : presentMetric(revision);

function presentWith<Value extends object>(metric: MetricRevision, value: Value) {
  const { source, verification } = metric;
  const { sourceSignature } = verification;
  return {
    company_id: metric.companyId,
    key: metric.key,
    label: metric.label,
    ...(metric.currency !== null && { currency: metric.currency }),
    period: metric.period,
    source: {
      system: source.system,
      method: source.method,
      last_synced: source.lastSynced.toISOString(),
    },
    verification: {
      verified: verification.verified,
      signed: verification.signed,
      ...(verification.signed && {
        signature: verification.signature,
        public_key_url: verification.publicKeyUrl,
      }),
      ...(sourceSignature !== undefined && { source_signature: sourceSignature }),
    },
    confidence: metric.confidence,
    ...value,
    category: metric.category,
    as_of: metric.asOf.toISOString(),
  };
}

/** Signed with the key of RFC 8037, appendix A. */
const exampleSignature = [
  'eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JT',
  'NGsiLCJ0eXAiOiJtZXRyaWMrandzIn0.eyJ2IjoxLCJlbnZpcm9ubWVudCI6ImxpdmUiLCJjb21wYW55X2lk',
  'IjoiY29faGFyYm9yIiwia2V5IjoiY2FzaF9iYWxhbmNlIiwicGVyaW9kIjoiMjAyNi0xMC0zMSIsInJhd192',
  'YWx1ZSI6IjQxODIzMDAuNTUiLCJjdXJyZW5jeSI6IlVTRCIsImFzX29mIjoiMjAyNi0xMC0zMVQyMzo1OTo1',
  'OS4wMDBaIiwic291cmNlIjp7InN5c3RlbSI6Ik1lcmN1cnkiLCJtZXRob2QiOiJhcGkiLCJsYXN0X3N5bmNl',
  'ZCI6IjIwMjYtMTEtMDFUMDQ6MDA6MDAuMDAwWiJ9LCJyZXZpc2lvbiI6MSwic2lnbmVkX2F0IjoiMjAyNi0x',
  'MS0wMVQwNDowNTowMC4wMDBaIn0.ba7g5hvOrdidNNAyNeuLTM4JMInAmjD3IJb9KHdwacE4xMj_8stAgDAq',
  'ArCfYdLKh20_jGu3KBfezh-FTUuiBA',
].join('');

export const exampleMetric: PresentedMetric = {
  company_id: 'co_harbor',
  key: 'cash_balance',
  label: 'Cash balance',
  currency: 'USD',
  period: '2026-10-31',
  source: { system: 'Mercury', method: 'api', last_synced: '2026-11-01T04:00:00.000Z' },
  verification: {
    verified: true,
    signed: true,
    signature: exampleSignature,
    public_key_url: 'https://access.example/.well-known/jwks.json',
  },
  confidence: 'high',
  value: '$4,182,300.55',
  raw_value: 4182300.55,
  raw_value_text: '4182300.55',
  category: 'liquidity',
  as_of: '2026-10-31T23:59:59.000Z',
};

export const metricListSchema = listSchema(metricSchema, 'MetricList', 'values');
