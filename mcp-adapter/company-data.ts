import {
  companyInput,
  latestMetricsInput,
  type Metric,
  metricHistoryInput,
  metricInput,
} from '#core';
import { presentAccount, presentMetric, presentSource } from '#http';
import { signaturesInput, wantsSignatures } from './arguments.ts';
import { tool } from './tool.ts';

function presentWithoutSignature(value: Metric) {
  const { verification, ...rest } = presentMetric(value);
  const { verified, signed } = verification;
  return { ...rest, verification: { verified, signed } };
}

/**
 * Omits signatures by default, because models can't use them and they are longer than all other fields. Call this
 * before a read starts. If it throws during a read, nothing handles a rejection of that read.
 *
 * @throws InputError
 */
const presenterFor = (input: object) =>
  wantsSignatures(input) ? presentMetric : presentWithoutSignature;

const scope = 'metrics:read';
const needs = 'Needs the scope metrics:read and a live grant.';

/** Models can't use more values, and they would take too long to write. */
const maxValues = 100;

export const companyDataTools = [
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
    description: `Returns the newest ${maxValues} values of one metric between two periods, oldest first. omitted is the number of earlier values that are left out. Empty if the company has no data for the key. ${needs}`,
    scope,
    effect: 'reads',
    input: metricHistoryInput.extend(signaturesInput),
    async call({ useCases, caller, write }, input) {
      const present = presenterFor(input);
      const values = await useCases.readMetricHistory(caller, input).then(write.readRows);
      return {
        metrics: values.slice(-maxValues).map((value) => present(value)),
        omitted: Math.max(0, values.length - maxValues),
      };
    },
  }),
  tool({
    name: 'list_sources',
    title: 'List data sources',
    description:
      'Lists the connected data sources of a company with their sync status. Needs the scope sources:read and a live grant.',
    scope: 'sources:read',
    effect: 'reads',
    input: companyInput,
    call: async ({ useCases, caller, write }, input) => ({
      sources: await useCases.readSources(caller, input).then(write.list(presentSource)),
    }),
  }),
  tool({
    name: 'list_accounts',
    title: 'List financial accounts',
    description:
      'Lists the financial accounts of a company with their balances. Needs the scope accounts:read and a live grant.',
    scope: 'accounts:read',
    effect: 'reads',
    input: companyInput,
    call: async ({ useCases, caller, write }, input) => ({
      accounts: await useCases.readAccounts(caller, input).then(write.list(presentAccount)),
    }),
  }),
];
