import type { AccessRequest } from '../consent/access-request.ts';
import type { Receipt } from '../consent/receipt.ts';
import type { AccessEvent } from '../events/access-event.ts';
import { type Erased, erasedName, eraseText } from './erased.ts';

/** A request without the texts that the erasure covers. Equal texts stay equal, so its history still leads to it. */
export const eraseRequest = (erased: Erased, request: AccessRequest): AccessRequest => ({
  ...request,
  purpose: eraseText(erased, request.purpose),
  pendingPurpose: eraseText(erased, request.pendingPurpose),
  reason: eraseText(erased, request.reason),
});

/** The event of a request without the texts that the erasure covers. */
export const eraseEvent = (erased: Erased, event: AccessEvent): AccessEvent => ({
  ...event,
  accessRequest: eraseRequest(erased, event.accessRequest),
  reason: eraseText(erased, event.reason),
});

/** The receipt of a request of the erased company or investor without its name. The signature is still the old one. */
export const eraseReceipt = (erased: Erased, receipt: Receipt): Receipt => ({
  ...receipt,
  ...('companyId' in erased && { companyName: erasedName(erased) }),
  ...('investorId' in erased && { investorName: erasedName(erased) }),
});
