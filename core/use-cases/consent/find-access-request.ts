import { type AccessRequest, isAccessRequestId } from '../../model/consent/access-request.ts';
import { AccessError } from '../../model/errors.ts';
import { isOwned, type Whose } from '../../model/identity/owner.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * Returns the stored request with the ID.
 *
 * @throws AccessError `access_request_not_found`
 */
export async function findAccessRequest(
  { accessRequests }: Ports,
  whose: Whose,
  id: string,
): Promise<AccessRequest> {
  const request = isAccessRequestId(id) ? await accessRequests.find(id) : null;
  requireOwned(request, whose, id);
  return request;
}

/**
 * Another owner's request is refused like one that doesn't exist.
 *
 * @throws AccessError `access_request_not_found`
 */
export function requireOwned(
  request: AccessRequest | null,
  whose: Whose,
  id: string,
): asserts request is AccessRequest {
  if (request !== null && isOwned(request, whose)) return;
  throw new AccessError('access_request_not_found', { message: messageFor(whose, id) });
}

function messageFor(whose: Whose, id: string): string | undefined {
  if (whose === null) return `the access request ${id} doesn’t exist`;
  return 'companyId' in whose ? 'No such access request to this company.' : undefined;
}
