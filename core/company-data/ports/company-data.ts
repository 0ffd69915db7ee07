import type { Account } from '../account.ts';
import type { Metric, Periods } from '../metric.ts';
import type { Source } from '../source.ts';

/** A company, and the version of its data that the decision to read it was made on. */
export interface CompanyAt {
  readonly companyId: string;
  readonly dataVersion: string;
}

/**
 * The data itself. Knows nothing of keys and grants: whoever calls it must have passed the gate.
 * Must be of the version that is asked for or a later one. Amounts must come back with every digit that was stored. The
 * same question about any number of companies, asked at once, must be answered in one statement.
 */
export interface CompanyData {
  /** The value of the latest period of every metric, by key. Must stay an index read with years of daily history. */
  latestMetrics(company: CompanyAt): Promise<readonly Metric[]>;
  /** The values of one metric, in the periods or in all, oldest first. */
  metricHistory(company: CompanyAt, key: string, periods?: Periods): Promise<readonly Metric[]>;
  /** By provider, then account name. */
  sources(company: CompanyAt): Promise<readonly Source[]>;
  /** By provider, then name, then id. */
  accounts(company: CompanyAt): Promise<readonly Account[]>;
}
