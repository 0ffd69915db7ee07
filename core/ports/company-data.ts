import type { Account } from '../account.ts';
import type { Metric, Periods } from '../metric.ts';
import type { Source } from '../source.ts';

/**
 * The data itself. Knows nothing of keys and grants: whoever calls it must have passed the gate.
 * Amounts must come back with every digit that was stored. The same question about any number of companies, asked at
 * once, must be answered in one statement.
 */
export interface CompanyData {
  /** The value of the latest period of every metric, by key. Must stay an index read with years of daily history. */
  latestMetrics(companyId: string): Promise<Metric[]>;
  /** The value of the latest period of one metric. */
  latestMetric(companyId: string, key: string): Promise<Metric | null>;
  /** The values of one metric, in the periods or in all, oldest first. */
  metricHistory(companyId: string, key: string, periods?: Periods): Promise<Metric[]>;
  /** By provider, then account name. */
  sources(companyId: string): Promise<Source[]>;
  /** By provider, then name, then id. */
  accounts(companyId: string): Promise<Account[]>;
}
