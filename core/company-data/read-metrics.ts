import { readThroughGate } from '../consent/gate.ts';
import { AccessError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { LatestMetricsInput, MetricHistoryInput, MetricInput } from '../input.ts';
import type { Ports } from '../ports.ts';
import { isMetricKey, type Metric } from './metric.ts';

/** The latest value of every metric of a company, by key; with keys, of those alone. */
export const readLatestMetrics =
  (ports: Ports) =>
  async (caller: Caller, { companyId, keys }: LatestMetricsInput): Promise<readonly Metric[]> => {
    const wanted = { companyId, resource: 'metrics' } as const;
    const metrics = await readThroughGate(ports, caller, wanted, (dataVersion) =>
      ports.companyData.latestMetrics({ companyId, dataVersion }),
    );
    return keys == null ? metrics : metrics.filter(({ key }) => keys.includes(key));
  };

/**
 * The latest value of one metric.
 *
 * @throws AccessError `metric_not_found` when the company has no data for the key
 */
export const readLatestMetric =
  (ports: Ports) =>
  async (caller: Caller, { companyId, key }: MetricInput): Promise<Metric> => {
    const wanted = { companyId, resource: 'metric', metricKey: key } as const;
    const metrics = await readThroughGate(ports, caller, wanted, async (dataVersion) =>
      isMetricKey(key) ? ports.companyData.latestMetrics({ companyId, dataVersion }) : [],
    );
    const metric = metrics.find((candidate) => candidate.key === key);
    if (metric === undefined) throw new AccessError('metric_not_found');
    return metric;
  };

/**
 * The values of one metric, oldest first, from one period to another; empty when the company has no data for the key.
 */
export const readMetricHistory =
  (ports: Ports) =>
  (
    caller: Caller,
    { companyId, key, from, to }: MetricHistoryInput,
  ): Promise<readonly Metric[]> => {
    const wanted = { companyId, resource: 'metric_history', metricKey: key } as const;
    return readThroughGate(ports, caller, wanted, async (dataVersion) => {
      const periods = { from: from ?? null, to: to ?? null };
      const company = { companyId, dataVersion };
      return isMetricKey(key) ? ports.companyData.metricHistory(company, key, periods) : [];
    });
  };
