import type { Account } from '../model/company-data/account.ts';
import type { Company } from '../model/company-data/company.ts';
import type { MetricRevision } from '../model/company-data/metric.ts';
import type { ReportedSource } from '../model/company-data/source.ts';
import type { VersionedCompany } from './company-data.ts';
import type { ReceiptOfEvent } from './receipts.ts';

/** Something that is kept of a company. */
export type StoredRecord =
  | { readonly type: 'company'; readonly company: Company }
  | { readonly type: 'source'; readonly source: ReportedSource }
  | { readonly type: 'account'; readonly account: Account }
  | { readonly type: 'metric'; readonly metric: MetricRevision }
  | { readonly type: 'receipt'; readonly receipt: ReceiptOfEvent };

/** Takes what was read, so many records at a time, and answers when it is ready for more. */
export type TakeRecords<Item> = (records: readonly Item[]) => Promise<void>;

export interface Exports {
  /**
   * All that is kept of a company, as it was at one instant, while others write: the company, its sources, its accounts,
   * each metric with every revision by period, then revision, and the receipts of each request, oldest first. Must hold
   * no more than a batch in memory. `take` must not wait for anybody outside, because the database may wait for it.
   *
   * @returns false when there is no such company
   */
  read(
    company: Pick<VersionedCompany, 'companyId' | 'publicKeyUrl'>,
    take: TakeRecords<StoredRecord>,
  ): Promise<boolean>;
}
