import type { AccessRequest } from '../consent/access-request.ts';
import type { Receipt } from '../consent/receipt.ts';
import type { AccessEvent } from '../events/access-event.ts';
import { type Erased, erasedName, eraseText } from './erased.ts';

/** Replaces the erased texts of a request. Equal texts get equal replacements, so that its events still match. */
export const eraseRequest = (erased: Erased, request: AccessRequest): AccessRequest => ({
  ...request,
  purpose: eraseText(erased, request.purpose),
  pendingPurpose: eraseText(erased, request.pendingPurpose),
  reason: eraseText(erased, request.reason),
});

export const eraseEvent = (erased: Erased, event: AccessEvent): AccessEvent => ({
  ...event,
  accessRequest: eraseRequest(erased, event.accessRequest),
  reason: eraseText(erased, event.reason),
});

/** Replaces the erased name in a receipt. The caller must update the signature. */
export const eraseReceipt = (erased: Erased, receipt: Receipt): Receipt => ({
  ...receipt,
  ...('companyId' in erased && { companyName: erasedName(erased) }),
  ...('investorId' in erased && { investorName: erasedName(erased) }),
});
