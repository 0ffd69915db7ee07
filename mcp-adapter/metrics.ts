import { z } from 'zod';
import { latestMetricsInput, type Metric, metricHistoryInput, metricInput } from '#core';
import { presentMetric } from '#http';
import { signaturesInput, wantsSignatures } from './arguments.ts';
import { companyId, currency, exactAmount, instant } from './schemas.ts';
import { tool } from './tool.ts';

const verification = z
  .object({
    verified: z.boolean(),
    signed: z.boolean(),
    signature: z.string().optional().meta({
      description:
        'A compact JWS that carries what it signs: compare each of its fields with the value. Absent while signed is false, or includeSignatures.',
    }),
    publicKeyUrl: z.string().optional().meta({
      description: 'The JSON Web Key Set with the key that the signature names.',
    }),
    revision: z.int().optional().meta({ description: 'The revision that was signed.' }),
    signedAt: instant.optional(),
    sourceSignature: z.string().optional().meta({
      description: 'What a signer that the company has registered gave with the value.',
    }),
  })
  .meta({ description: 'Whether the value was checked against its source, and its signature.' });

const metric = z.object({
  companyId,
  key: z.string(),
  label: z.string(),
  currency: currency.nullable().meta({ description: 'ISO 4217 code; null for what is not money.' }),
  period: z.string().meta({ description: 'YYYY-MM-DD.' }),
  source: z.object({ system: z.string(), method: z.string(), lastSynced: instant }),
  verification,
  confidence: z.string(),
  value: z.string().meta({ description: 'For people; rawValue is for programs.' }),
  rawValue: exactAmount,
  category: z.string(),
  asOf: instant.meta({ description: 'The time the value is valid for, in RFC 3339.' }),
  revision: z.int().meta({
    description: 'Counted from 1: how often the value of this period was given.',
  }),
});

function presentWithoutSignature(value: Metric) {
  const { verification, ...rest } = presentMetric(value);
  const { verified, signed } = verification;
  return { ...rest, verification: { verified, signed } };
}

/** Leaves out signatures by default. They are longer than all other fields, and a model can't use them. */
const presenterFor = (input: object) =>
  wantsSignatures(input) ? presentMetric : presentWithoutSignature;

const scope = 'metrics:read';
const needs = 'Needs the scope metrics:read and a live grant of the company.';

/** Limited, because models don't read more, and writing more would take too long. */
const maxValues = 100;

export const metricTools = [
  tool({
    name: 'read_metrics',
    title: 'Read the latest metrics',
    description: `The latest value of every metric of a company, or with keys of those alone. ${needs}`,
    scope,
    effect: 'reads',
    input: latestMetricsInput.extend(signaturesInput),
    output: z.object({ metrics: z.array(metric) }),
    call: async ({ useCases, caller, write }, input) => ({
      metrics: await useCases
        .readLatestMetrics(caller, input)
        .then(write.list(presenterFor(input))),
    }),
  }),
  tool({
    name: 'read_metric',
    title: 'Read one metric',
    description: `The latest value of one metric of a company. ${needs}`,
    scope,
    effect: 'reads',
    input: metricInput.extend(signaturesInput),
    output: z.object({ metric }),
    call: async ({ useCases, caller, write }, input) => ({
      metric: await useCases.readLatestMetric(caller, input).then(write.one(presenterFor(input))),
    }),
  }),
  tool({
    name: 'read_metric_history',
    title: 'Read the history of a metric',
    description: `The values of one metric, oldest first, from one period to another; of more than ${maxValues} the newest, and omitted counts those before them. Empty when the company has no data for the key. ${needs}`,
    scope,
    effect: 'reads',
    input: metricHistoryInput.extend(signaturesInput),
    output: z.object({
      metrics: z.array(metric),
      omitted: z
        .int()
        .meta({ description: 'How many there are before these: name an earlier to.' }),
    }),
    async call({ useCases, caller, write }, input) {
      const present = presenterFor(input);
      return useCases.readMetricHistory(caller, input).then(
        write.rows((values: readonly Metric[]) => ({
          metrics: values.slice(-maxValues).map((value) => present(value)),
          omitted: Math.max(0, values.length - maxValues),
        })),
      );
    },
  }),
];
