import { isMetricKey, type MetricRevision } from '../../model/company-data/metric.ts';
import { AccessError } from '../../model/errors.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany } from '../identity/organisations.ts';
import { openOwnData } from './read-own-data.ts';

interface MetricHistoryQuery {
  readonly companyId: string;
  readonly key: string;
  readonly withRevisions?: boolean;
}

/**
 * Returns the values of one metric, sorted by period and revision. Writes no access record, because no investor reads.
 *
 * @throws AccessError `company_not_found`, `metric_not_found`
 */
export const showMetricHistory =
  (ports: Ports) =>
  async ({
    companyId,
    key,
    withRevisions,
  }: MetricHistoryQuery): Promise<readonly MetricRevision[]> => {
    const { companyData } = ports;
    const { environment } = await findCompany(ports, companyId);
    const company = await openOwnData(ports, { companyId, environment });
    const read = withRevisions ? companyData.metricRevisions : companyData.metricHistory;
    const metrics = isMetricKey(key) ? await read(company, key) : [];
    if (metrics.length > 0) return metrics;
    const message = `the company ${companyId} has no data for ${key}`;
    throw new AccessError('metric_not_found', { message });
  };
