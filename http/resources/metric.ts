import { z } from 'zod';
import type { Metric, Verification } from '#core';
import { companyId, currency, instant } from './fields.ts';

const source = z
  .object({
    system: z.string().meta({ description: 'The system that the value comes from.' }),
    method: z.string().meta({ description: 'How the value was obtained.' }),
    lastSynced: instant.meta({
      description: 'Time of the last sync with the system, in RFC 3339.',
    }),
  })
  .meta({ description: 'The source of the value.' });

const verification = z
  .object({
    verified: z
      .boolean()
      .meta({ description: 'True if the value was checked against its source.' }),
    signed: z.boolean().meta({ description: 'True if the value is signed.' }),
    signature: z.string().optional().meta({
      description:
        'A compact JWS (`metric+jws`, Ed25519) that contains the signed fields. Compare each of them with the metric. Absent if `signed` is false.',
    }),
    publicKeyUrl: z.url().optional().meta({
      description:
        'The address of the JSON Web Key Set with the signing key. Absent if `signed` is false.',
    }),
    revision: z
      .int()
      .optional()
      .meta({ description: 'The signed revision. Absent if `signed` is false.' }),
    signedAt: instant
      .optional()
      .meta({ description: 'Time of signing, in RFC 3339. Absent if `signed` is false.' }),
    sourceSignature: z.string().optional().meta({
      description:
        'The signature of a signer that the company has registered: a compact JWS, exactly as received. Absent if none exists.',
      'x-addition': true,
    }),
  })
  .meta({
    description:
      'Shows whether the value was checked against its source. Contains the signature of the value.',
  });

export const metricResource = z
  .object({
    companyId,
    key: z.string().meta({
      description: 'Key of the metric, for example `cash_balance`.',
      example: 'cash_balance',
    }),
    label: z.string().meta({ description: 'Display name of the metric.' }),
    currency: currency
      .nullable()
      .meta({ description: 'ISO 4217 code. Null if the metric isn’t money.' }),
    period: z.iso.date().meta({ description: 'The date of the period, `YYYY-MM-DD`.' }),
    source,
    verification,
    confidence: z
      .string()
      .meta({ description: 'The reliability of the value, as a word such as `high`.' }),
    value: z.string().meta({ description: 'The value, formatted for display.' }),
    rawValue: z.string().meta({
      description: 'The exact value: a plain decimal with every digit of the source.',
    }),
    category: z.string().meta({ description: 'Group of the metric.' }),
    asOf: instant.meta({ description: 'The time the value is valid for, in RFC 3339.' }),
    revision: z.int().meta({
      description: 'Starts at 1 and increases each time the value of the period changes.',
    }),
  })
  .meta({ description: 'The value of a metric for one period, with its source and verification.' });

export function presentMetric(metric: Metric) {
  const { source, verification } = metric;
  return {
    companyId: metric.companyId,
    key: metric.key,
    label: metric.label,
    currency: metric.currency,
    period: metric.period,
    source: {
      system: source.system,
      method: source.method,
      lastSynced: source.lastSynced.toISOString(),
    },
    verification: presentVerification(verification),
    confidence: metric.confidence,
    value: metric.value,
    rawValue: metric.rawValue,
    category: metric.category,
    asOf: metric.asOf.toISOString(),
    revision: metric.revision,
  } satisfies z.output<typeof metricResource>;
}

function presentVerification(verification: Verification) {
  const { verified, sourceSignature } = verification;
  const ofSource = { verified, ...(sourceSignature !== undefined && { sourceSignature }) };
  if (!verification.signed) return { ...ofSource, signed: false as const };
  return {
    ...ofSource,
    signed: true as const,
    signature: verification.signature,
    publicKeyUrl: verification.publicKeyUrl,
    revision: verification.revision,
    signedAt: verification.signedAt.toISOString(),
  };
}
