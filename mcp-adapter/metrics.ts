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
        'A compact JWS that contains the signed fields: compare each of them with the value. Absent if signed or includeSignatures is false.',
    }),
    publicKeyUrl: z.string().optional().meta({
      description: 'The address of the JSON Web Key Set with the signing key.',
    }),
    revision: z.int().optional().meta({ description: 'The signed revision.' }),
    signedAt: instant.optional(),
    sourceSignature: z.string().optional().meta({
      description: 'A signature by a signer that the company registered.',
    }),
  })
  .meta({ description: 'Whether the value was checked against its source, and its signature.' });

const metric = z.object({
  companyId,
  key: z.string(),
  label: z.string(),
  currency: currency
    .nullable()
    .meta({ description: 'ISO 4217 code. Null if the metric isn’t money.' }),
  period: z.string().meta({ description: 'YYYY-MM-DD.' }),
  source: z.object({ system: z.string(), method: z.string(), lastSynced: instant }),
  verification,
  confidence: z.string(),
  value: z.string().meta({ description: 'Formatted for display. Calculate with rawValue.' }),
  rawValue: exactAmount,
  category: z.string(),
  asOf: instant.meta({ description: 'The time the value is valid for, in RFC 3339.' }),
  revision: z.int().meta({
    description: 'Starts at 1 and increases each time the value of the period changes.',
  }),
});

function presentWithoutSignature(value: Metric) {
  const { verification, ...rest } = presentMetric(value);
  const { verified, signed } = verification;
  return { ...rest, verification: { verified, signed } };
}

/**
 * Leaves out signatures by default. They are longer than all other fields, and a model can't use them. Call it before
 * the read begins: if it threw afterwards, no code would wait for the read, and a refused read would be an unhandled
 * rejection.
 *
 * @throws InputError
 */
const presenterFor = (input: object) =>
  wantsSignatures(input) ? presentMetric : presentWithoutSignature;

const scope = 'metrics:read';
const needs = 'Needs the scope metrics:read and a live grant.';

/** Limited, because models don't read more, and writing more would take too long. */
const maxValues = 100;

export const metricTools = [
  tool({
    name: 'read_metrics',
    title: 'Read the latest metrics',
    description: `Returns the latest value of every metric of a company, or of the given keys. ${needs}`,
    scope,
    effect: 'reads',
    input: latestMetricsInput.extend(signaturesInput),
    output: z.object({ metrics: z.array(metric) }),
    async call({ useCases, caller, write }, input) {
      const present = presenterFor(input);
      return {
        metrics: await useCases.readLatestMetrics(caller, input).then(write.list(present)),
      };
    },
  }),
  tool({
    name: 'read_metric',
    title: 'Read one metric',
    description: `Returns the latest value of one metric of a company. ${needs}`,
    scope,
    effect: 'reads',
    input: metricInput.extend(signaturesInput),
    output: z.object({ metric }),
    async call({ useCases, caller, write }, input) {
      const present = presenterFor(input);
      return { metric: await useCases.readLatestMetric(caller, input).then(write.one(present)) };
    },
  }),
  tool({
    name: 'read_metric_history',
    title: 'Read the history of a metric',
    description: `Returns the newest ${maxValues} values of one metric between two periods, oldest first. omitted counts the earlier ones. Empty if the company has no data for the key. ${needs}`,
    scope,
    effect: 'reads',
    input: metricHistoryInput.extend(signaturesInput),
    output: z.object({
      metrics: z.array(metric),
      omitted: z
        .int()
        .meta({ description: 'The number of earlier values. Set an earlier to to read them.' }),
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
