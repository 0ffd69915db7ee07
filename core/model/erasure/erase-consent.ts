import type { AccessRequest } from '../consent/access-request.ts';
import type { Receipt } from '../consent/receipt.ts';
import type { AccessEvent } from '../events/access-event.ts';
import { type Erased, erasedName, eraseText } from './erased.ts';

/**
 * Replaces the texts that the erasure covers. Equal texts get equal replacements, so the events still match the
 * request.
 */
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

/** Replaces the name of the erased company or investor in a receipt. The receipt isn't signed again here. */
export const eraseReceipt = (erased: Erased, receipt: Receipt): Receipt => ({
  ...receipt,
  ...('companyId' in erased && { companyName: erasedName(erased) }),
  ...('investorId' in erased && { investorName: erasedName(erased) }),
});
