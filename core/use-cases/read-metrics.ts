import type { Caller } from '../caller.ts';
import { AccessError } from '../errors.ts';
import { readThroughGate } from '../gate.ts';
import type { LatestMetricsInput, MetricHistoryInput, MetricInput } from '../input.ts';
import { isMetricKey, type Metric } from '../metric.ts';
import type { Ports } from '../ports/index.ts';

/** The latest value of every metric of a company, by key; with keys, of those alone. */
export const readLatestMetrics =
  (ports: Ports) =>
  (caller: Caller, { companyId, keys }: LatestMetricsInput): Promise<Metric[]> =>
    readThroughGate(ports, caller, { companyId, resource: 'metrics' }, async () => {
      const metrics = await ports.companyData.latestMetrics(companyId);
      return keys == null ? metrics : metrics.filter(({ key }) => keys.includes(key));
    });

/**
 * The latest value of one metric.
 *
 * @throws AccessError `metric_not_found` when the company has no data for the key
 */
export const readLatestMetric =
  (ports: Ports) =>
  (caller: Caller, { companyId, key }: MetricInput): Promise<Metric> =>
    readThroughGate(ports, caller, { companyId, resource: 'metric', metricKey: key }, async () => {
      const metric = isMetricKey(key) ? await ports.companyData.latestMetric(companyId, key) : null;
      if (metric === null) throw new AccessError('metric_not_found');
      return metric;
    });

/**
 * The values of one metric, oldest first, from one period to another; empty when the company has no data for the key.
 */
export const readMetricHistory =
  (ports: Ports) =>
  (caller: Caller, { companyId, key, from, to }: MetricHistoryInput): Promise<Metric[]> =>
    readThroughGate(
      ports,
      caller,
      { companyId, resource: 'metric_history', metricKey: key },
      async () => {
        const periods = { from: from ?? null, to: to ?? null };
        return isMetricKey(key) ? ports.companyData.metricHistory(companyId, key, periods) : [];
      },
    );
