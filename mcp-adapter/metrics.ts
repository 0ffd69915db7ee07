import { latestMetricsInput, type Metric, metricHistoryInput, metricInput } from '#core';
import { presentMetric } from '#http';
import { signaturesInput, wantsSignatures } from './arguments.ts';
import { tool } from './tool.ts';

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
