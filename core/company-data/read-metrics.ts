import { z } from 'zod';
import { readThroughGate } from '../consent/gate.ts';
import { AccessError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { companyInput, parseInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import { isExpressible } from '../time.ts';
import { isMetricKey, type Metric } from './metric.ts';

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
    const wanted = { companyId, resource: 'metrics' } as const;
    const metrics = await readThroughGate(ports, caller, wanted, (dataVersion) =>
      ports.companyData.latestMetrics({ companyId, dataVersion }),
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
    const wanted = { companyId, resource: 'metric', metricKey: key } as const;
    const metrics = await readThroughGate(ports, caller, wanted, async (dataVersion) =>
      isMetricKey(key) ? ports.companyData.latestMetrics({ companyId, dataVersion }) : [],
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

/**
 * The values of one metric, oldest first, from one period to another; empty when the company has no data for the key.
 */
export const readMetricHistory =
  (ports: Ports) =>
  async (caller: Caller, input: MetricHistoryInput): Promise<readonly Metric[]> => {
    const { companyId, key, from, to } = parseInput(metricHistoryInput, input);
    const wanted = { companyId, resource: 'metric_history', metricKey: key } as const;
    return readThroughGate(ports, caller, wanted, async (dataVersion) => {
      const periods = { from: from ?? null, to: to ?? null };
      const company = { companyId, dataVersion };
      return isMetricKey(key) ? ports.companyData.metricHistory(company, key, periods) : [];
    });
  };
