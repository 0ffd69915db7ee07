import { issueHead } from '../../model/consent/issue-head.ts';
import { issueReceipt } from '../../model/consent/issue-receipt.ts';
import type { IssuedReceipt } from '../../model/consent/receipt.ts';
import { ensure } from '../../model/errors.ts';
import type { StoredRecord, WriteRecords } from '../../ports/exports.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReceiptOfEvent } from '../../ports/receipts.ts';
import { signingIdentity } from '../proof/sign-receipts.ts';

export type ExportedRecord =
  | Exclude<StoredRecord, { readonly type: 'receipt' }>
  | { readonly type: 'receipt'; readonly receipt: IssuedReceipt }
  /** Comes after the receipts of each request. See `ReceiptPage.head`. */
  | { readonly type: 'receipts_head'; readonly head: string };

interface Chain {
  readonly first: ReceiptOfEvent;
  receipts: number;
  lastReceiptId: string | null;
  /** True after the first unsigned receipt. That receipt and all later ones are left out. */
  awaitsSignature: boolean;
}

/**
 * Exports the stored data of a company as one snapshot. Each access request has its receipts up to the first unsigned
 * receipt. At the end, a signed summary lists the exported receipts. See `Exports.read`.
 *
 * @returns the number of receipts that are left out because they or earlier receipts are unsigned
 * @throws AccessError `company_not_found`
 */
export const exportCompany =
  (ports: Ports) =>
  async (companyId: string, write: WriteRecords<ExportedRecord>): Promise<number> => {
    const { clock, exports, settings } = ports;
    const publicKeyUrl = settings.publicKeyUrl();
    const identity = await signingIdentity(ports);
    const issuedAt = clock.now();
    let chain: Chain | null = null;
    let leftOut = 0;

    function headOf({ first, ...end }: Chain): ExportedRecord[] {
      if (identity === null) return [];
      const { environment } = first.receipt;
      const { id: accessRequestId } = first.event.accessRequest;
      const head = issueHead({ ...end, environment, accessRequestId, issuedAt }, identity);
      return [{ type: 'receipts_head', head }];
    }

    function toExported(record: StoredRecord): ExportedRecord[] {
      if (record.type !== 'receipt') return [record];
      const { event, receipt } = record.receipt;
      let ended: ExportedRecord[] = [];
      if (chain?.first.event.accessRequest.id !== event.accessRequest.id) {
        if (chain !== null) ended = headOf(chain);
        const { receipt: first } = record;
        chain = { first, receipts: 0, lastReceiptId: null, awaitsSignature: false };
      }
      const issued = chain.awaitsSignature ? null : issueReceipt(event, receipt);
      if (issued === null) {
        chain.awaitsSignature = true;
        leftOut += 1;
        return ended;
      }
      chain.receipts += 1;
      chain.lastReceiptId = issued.id;
      return [...ended, { type: 'receipt', receipt: issued }];
    }

    const isKnown = await exports.read({ companyId, publicKeyUrl }, (records) =>
      write(records.flatMap(toExported)),
    );
    ensure(isKnown, 'company_not_found', `the company ${companyId} doesn’t exist`);
    if (chain !== null) await write(headOf(chain));
    return leftOut;
  };
