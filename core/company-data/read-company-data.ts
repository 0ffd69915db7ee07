import { z } from 'zod';
import { readThroughGate } from '../consent/gate.ts';
import { AccessError } from '../errors.ts';
import { type Caller, requireScope } from '../identity/caller.ts';
import { type CompanyInput, companyInput, parseInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import { isExpressible } from '../time.ts';
import type { Account } from './account.ts';
import { isMetricKey, type Metric } from './metric.ts';
import type { Source } from './source.ts';

// Each of these reads throws an InputError, or the refusal of the gate.

export const maxMetricKeys = 200;

const metricKey = z.string('invalid_parameter');

export const latestMetricsInput = companyInput.extend({
  keys: z.array(metricKey, 'invalid_parameter').max(maxMetricKeys).nullish(),
});

export type LatestMetricsInput = z.input<typeof latestMetricsInput>;

/** The latest value of every metric of a company, by key; with keys, of those alone. */
export const readLatestMetrics =
  (ports: Ports) =>
  async (caller: Caller, input: LatestMetricsInput): Promise<readonly Metric[]> => {
    const { companyId, keys } = parseInput(latestMetricsInput, input);
    const read = { companyId, resource: 'metrics' } as const;
    const metrics = await readThroughGate(ports, caller, read, (company) =>
      ports.companyData.latestMetrics(company),
    );
    return keys == null ? metrics : metrics.filter(({ key }) => keys.includes(key));
  };

const metricInput = companyInput.extend({ key: metricKey });

export type MetricInput = z.input<typeof metricInput>;

/**
 * The latest value of one metric.
 *
 * @throws AccessError `metric_not_found` when the company has no data for the key
 */
export const readLatestMetric =
  (ports: Ports) =>
  async (caller: Caller, input: MetricInput): Promise<Metric> => {
    const { companyId, key } = parseInput(metricInput, input);
    const read = { companyId, resource: 'metric', metricKey: key } as const;
    const metrics = await readThroughGate(ports, caller, read, async (company) =>
      isMetricKey(key) ? ports.companyData.latestMetrics(company) : [],
    );
    const metric = metrics.find((candidate) => candidate.key === key);
    if (metric === undefined) throw new AccessError('metric_not_found');
    return metric;
  };

export const periodInput = z.iso
  .date('invalid_parameter')
  .refine((text) => isExpressible(new Date(text)));

export const metricHistoryInput = metricInput.extend({
  from: periodInput.nullish(),
  to: periodInput.nullish(),
});

export type MetricHistoryInput = z.input<typeof metricHistoryInput>;

/** The values of one metric, oldest first, in the given periods; empty when the company has no data for the key. */
export const readMetricHistory =
  (ports: Ports) =>
  async (caller: Caller, input: MetricHistoryInput): Promise<readonly Metric[]> => {
    const { companyId, key, from = null, to = null } = parseInput(metricHistoryInput, input);
    const read = { companyId, resource: 'metric_history', metricKey: key } as const;
    return readThroughGate(ports, caller, read, async (company) =>
      isMetricKey(key) ? ports.companyData.metricHistory(company, key, { from, to }) : [],
    );
  };

/** The data sources that a company has connected. */
export const readSources =
  (ports: Ports) =>
  async (caller: Caller, input: CompanyInput): Promise<readonly Source[]> => {
    const { companyId } = parseInput(companyInput, input);
    return readThroughGate(ports, caller, { companyId, resource: 'sources' }, (company) =>
      ports.companyData.sources(company),
    );
  };

/** The financial accounts of a company. */
export const readAccounts =
  (ports: Ports) =>
  async (caller: Caller, input: CompanyInput): Promise<readonly Account[]> => {
    const { companyId } = parseInput(companyInput, input);
    return readThroughGate(ports, caller, { companyId, resource: 'accounts' }, (company) =>
      ports.companyData.accounts(company),
    );
  };

/**
 * Announced, not there yet: refuses every caller.
 *
 * @throws AccessError `insufficient_scope` or `not_implemented`
 */
export const readReports =
  () =>
  (caller: Caller): never => {
    requireScope(caller, 'reports:read');
    throw new AccessError('not_implemented');
  };
