import { isDeepStrictEqual } from 'node:util';
import {
  type AccessEvent,
  createReceipt,
  type ReceiptOfEvent,
  type Receipts,
  type SigningIdentity,
} from '#core';
import { type Consents, isBefore, mustExist, requestEvents, type Store } from './store.ts';

/** Returns whether the receipt is signed. Transactions run one by one, so the new receipt follows the last one. */
export function addReceipt(
  { investors, companies, signingKeys }: Store,
  draft: Consents,
  event: AccessEvent,
  identity: SigningIdentity | null,
): boolean {
  const { id, investorId, companyId } = event.accessRequest;
  mustExist(draft.requests.get(id), id);
  const company = mustExist(companies.get(companyId), companyId);
  const previous = requestEvents(draft).findLast(({ accessRequest }) => accessRequest.id === id);
  const context = {
    environment: company.environment,
    companyName: company.name,
    investorName: mustExist(investors.get(investorId), investorId).name,
    previousId: (previous && draft.receipts.get(previous.id)?.id) ?? null,
  };
  const key = identity && signingKeys.get(identity.kid);
  const usable = key?.retiredAt === null ? identity : null;
  draft.receipts.set(event.id, createReceipt(event, context, usable));
  return usable !== null;
}

export function createMemoryReceipts(store: Store): Receipts {
  const all = () =>
    requestEvents(store.consents).map((event): ReceiptOfEvent => {
      const receipt = mustExist(store.consents.receipts.get(event.id), `receipt of ${event.id}`);
      return { event, receipt };
    });

  return {
    async list({ accessRequestId, after, limit }) {
      const chain = all().filter(({ event }) => event.accessRequest.id === accessRequestId);
      const begin = after === null ? 0 : chain.findIndex(({ receipt }) => receipt.id === after) + 1;
      if (after !== null && begin === 0) return null;
      return structuredClone(chain.slice(begin, begin + limit));
    },
    async locateReceipt(id) {
      const { event, receipt } = mustExist(
        all().find((each) => each.receipt.id === id),
        id,
      );
      const chain = all().filter((each) => each.event.accessRequest.id === event.accessRequest.id);
      const number = chain.findIndex((each) => each.receipt.id === id) + 1;
      return { number, environment: receipt.environment };
    },
    async listUnsigned(limit, after = null) {
      const placeOf = ({ receipt }: ReceiptOfEvent) => ({
        instant: receipt.issuedAt,
        id: receipt.id,
      });
      const unsigned = all()
        .filter(({ receipt }) => receipt.signature === null)
        .toSorted((a, b) => (isBefore(placeOf(a), placeOf(b)) ? -1 : 1))
        .filter((each) => after === null || isBefore(after, placeOf(each)));
      return structuredClone(unsigned.slice(0, limit));
    },
    async sign(signatures) {
      let count = 0;
      for (const { event, receipt, signature, signedAt } of signatures) {
        const unsigned = all().find((each) => each.receipt.id === receipt.id);
        if (unsigned === undefined || unsigned.receipt.signature !== null) continue;
        if (!isDeepStrictEqual(unsigned, { event, receipt })) continue;
        const late = { ...unsigned.receipt, signature, signedAt };
        store.consents.receipts.set(unsigned.event.id, late);
        count += 1;
      }
      return count;
    },
  };
}
