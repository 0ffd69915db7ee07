import { z } from 'zod';
import type { Metric, MetricRevision } from '#core';
import { metricResource, snakeCaseKeys } from '#http';
import { listSchema } from './list.ts';
import { absentIfNull, presentAmount } from './schemas.ts';

const { category, as_of, revision: _revision, ...fields } = snakeCaseKeys(metricResource.shape);
const {
  revision: _signedRevision,
  signed_at: _signedAt,
  ...verification
} = snakeCaseKeys(metricResource.shape.verification.shape);

export const metricSchema = z
  .object({
    ...fields,
    currency: absentIfNull(fields.currency),
    source: z.object(snakeCaseKeys(fields.source.shape)).meta(fields.source.meta() ?? {}),
    verification: z.object(verification).meta(fields.verification.meta() ?? {}),
    raw_value: z.number().meta({
      description:
        'The exact number, for programs. It can have more digits than a floating-point number can hold.',
    }),
    raw_value_text: z.string().meta({
      description:
        'The same number as text, as in the signature: a plain decimal with every digit.',
      'x-addition': true,
    }),
    category,
    as_of,
  })
  .meta({ ...metricResource.meta(), id: 'Metric' });

type PresentedMetric = z.output<typeof metricSchema>;

export const presentMetric = (metric: Metric): PresentedMetric =>
  presentWith(metric, {
    value: metric.value,
    raw_value: presentAmount(metric.rawValue),
    raw_value_text: metric.rawValue,
  });

const noValue = { value: null, raw_value: null, raw_value_text: null };

/** Only exports and the command line show voided revisions. The API never returns them. */
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

/** An example signature, made with the test key of RFC 8037, appendix A. */
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
