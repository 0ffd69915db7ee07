import { issueReceipt } from '../consent/receipts/issue-receipt.ts';
import type { IssuedReceipt } from '../consent/receipts/receipt.ts';
import { ensure } from '../errors.ts';
import type { Ports } from '../ports.ts';
import type { StoredRecord, TakeRecords } from './export-ports.ts';

export type ExportedRecord =
  | Exclude<StoredRecord, { readonly type: 'receipt' }>
  | { readonly type: 'receipt'; readonly receipt: IssuedReceipt };

/**
 * All that is kept of a company, as it is at one instant; of the receipts of a request, those up to the first that is
 * not signed yet. See `Exports.read`.
 *
 * @returns how many receipts are left out, because they or one before them are not signed yet
 * @throws OperatorError `not_found`
 */
export const exportCompany =
  ({ exports, settings }: Pick<Ports, 'exports' | 'settings'>) =>
  async (companyId: string, take: TakeRecords<ExportedRecord>): Promise<number> => {
    const publicKeyUrl = settings.publicKeyUrl();
    const ended = new Set<string>();
    let leftOut = 0;
    const toExported = (record: StoredRecord): ExportedRecord[] => {
      if (record.type !== 'receipt') return [record];
      const { event, receipt } = record.receipt;
      const { id } = event.accessRequest;
      const issued = ended.has(id) ? null : issueReceipt(event, receipt);
      if (issued !== null) return [{ type: 'receipt', receipt: issued }];
      ended.add(id);
      leftOut += 1;
      return [];
    };
    const isKnown = await exports.read({ companyId, publicKeyUrl }, (records) =>
      take(records.flatMap(toExported)),
    );
    ensure(isKnown, 'not_found', `there is no company ${companyId}`);
    return leftOut;
  };
