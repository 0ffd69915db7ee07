import type { Account } from '../account.ts';
import type { Metric } from '../metric.ts';
import type { Source } from '../source.ts';

/**
 * The data itself. Knows nothing of keys and grants: whoever calls it must have passed the gate.
 * Amounts must come back with every digit that was stored.
 */
export interface CompanyData {
  /** The value of the latest period of every metric, by key. Must stay an index read with years of daily history. */
  latestMetrics(companyId: string): Promise<Metric[]>;
  /** The value of the latest period of one metric. */
  latestMetric(companyId: string, key: string): Promise<Metric | null>;
  /** All values of one metric, oldest first. */
  metricHistory(companyId: string, key: string): Promise<Metric[]>;
  /** By provider, then account name. */
  sources(companyId: string): Promise<Source[]>;
  /** By provider, then name, then id. */
  accounts(companyId: string): Promise<Account[]>;
}
