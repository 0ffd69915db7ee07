import { type AccessRequest, isAccessRequestId } from '../../model/consent/access-request.ts';
import { AccessError } from '../../model/errors.ts';
import { isOwned, type OwnerOrOperator } from '../../model/identity/owner.ts';
import type { Ports } from '../../ports/index.ts';

export async function findAccessRequest(
  { accessRequests }: Ports,
  owner: OwnerOrOperator,
  id: string,
): Promise<AccessRequest> {
  const request = isAccessRequestId(id) ? await accessRequests.find(id) : null;
  requireOwned(request, owner, id);
  return request;
}

/**
 * Throws the same error for another owner's request as for a request that doesn't exist.
 *
 * @throws AccessError `access_request_not_found`
 */
export function requireOwned(
  request: AccessRequest | null,
  owner: OwnerOrOperator,
  id: string,
): asserts request is AccessRequest {
  if (request !== null && isOwned(request, owner)) return;
  const message = owner === null ? `the access request ${id} doesn’t exist` : undefined;
  throw new AccessError('access_request_not_found', { message });
}
