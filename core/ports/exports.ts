import type { Account } from '../model/company-data/account.ts';
import type { Company } from '../model/company-data/company.ts';
import type { MetricRevision } from '../model/company-data/metric.ts';
import type { ReportedSource } from '../model/company-data/source.ts';
import type { VersionedCompany } from './company-data.ts';
import type { ReceiptOfEvent } from './receipts.ts';

export type StoredRecord =
  | { readonly type: 'company'; readonly company: Company }
  | { readonly type: 'source'; readonly source: ReportedSource }
  | { readonly type: 'account'; readonly account: Account }
  | { readonly type: 'metric'; readonly metric: MetricRevision }
  | { readonly type: 'receipt'; readonly receipt: ReceiptOfEvent };

export type WriteRecords<Item> = (records: readonly Item[]) => Promise<void>;

export interface Exports {
  /**
   * Reads all stored records of a company as one snapshot, in this order: the company, the sources, the accounts, the
   * metrics, the receipts. Each metric comes with every revision, sorted by period and revision. The receipts of each
   * request come oldest first. Keeps only one batch in memory. `write` must not wait for the caller's network, because
   * the database may wait for `write`.
   *
   * @returns false if the company doesn't exist
   */
  read(
    company: Pick<VersionedCompany, 'companyId' | 'publicKeyUrl'>,
    write: WriteRecords<StoredRecord>,
  ): Promise<boolean>;
}
