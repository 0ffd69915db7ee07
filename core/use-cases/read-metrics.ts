import type { Caller } from '../caller.ts';
import { AccessError } from '../errors.ts';
import { passGate } from '../gate.ts';
import { isMetricKey, type Metric } from '../metric.ts';
import type { Ports } from '../ports/index.ts';

/** The latest value of every metric of a company, by key. */
export const readLatestMetrics =
  (ports: Ports) =>
  async (caller: Caller, companyId: string): Promise<Metric[]> => {
    await passGate(ports, caller, companyId, 'metrics:read');
    return ports.companyData.latestMetrics(companyId);
  };

/**
 * The latest value of one metric.
 *
 * @throws AccessError `metric_not_found` when the company has no data for the key
 */
export const readLatestMetric =
  (ports: Ports) =>
  async (caller: Caller, companyId: string, key: string): Promise<Metric> => {
    await passGate(ports, caller, companyId, 'metrics:read');
    const metric = isMetricKey(key) ? await ports.companyData.latestMetric(companyId, key) : null;
    if (metric === null) throw new AccessError('metric_not_found');
    return metric;
  };

/** All values of one metric, oldest first; empty when the company has no data for the key. */
export const readMetricHistory =
  (ports: Ports) =>
  async (caller: Caller, companyId: string, key: string): Promise<Metric[]> => {
    await passGate(ports, caller, companyId, 'metrics:read');
    return isMetricKey(key) ? ports.companyData.metricHistory(companyId, key) : [];
  };
