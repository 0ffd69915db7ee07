import type { CompanyAccess, GrantableScope, Investor, OperatorUseCases } from '#core';
import type { FixedIds } from './ids.ts';

export interface UseCases {
  readonly operatorUseCases: OperatorUseCases;
  withIds(ids: FixedIds): Pick<UseCases, 'operatorUseCases'>;
}

interface DemoRequest {
  readonly companyId: string;
  readonly access: CompanyAccess;
  readonly scopes: readonly GrantableScope[];
  readonly purpose: string;
  readonly ids: FixedIds;
}

const grantYears = 5;

/** Brings the access request to the status that the demo shows. Creates the request only if necessary. */
export async function setUpAccess(
  { operatorUseCases, withIds }: UseCases,
  investor: Investor,
  { companyId, access, ids, ...fields }: DemoRequest,
  now: Date,
): Promise<void> {
  if (access === 'none') return;
  const requests = await operatorUseCases.listCompanyAccessRequests({ companyId });
  let request = requests.find(({ investorId }) => investorId === investor.id);
  if (request === undefined || ['declined', 'expired'].includes(request.status)) {
    // An earlier, ended access request has the given IDs, so a new request gets other IDs.
    const { requestAccess } = withIds(request === undefined ? ids : {}).operatorUseCases;
    const made = await requestAccess({
      investorId: investor.id,
      companyId,
      scopes: [...fields.scopes],
      purpose: fields.purpose,
    });
    request = made.accessRequest;
  }
  if (access === 'pending') return;
  if (request.status === 'pending') {
    const expiresAt = new Date(now);
    expiresAt.setUTCFullYear(now.getUTCFullYear() + grantYears);
    const approved = await operatorUseCases.approveAccessRequest({ id: request.id, expiresAt });
    request = approved.accessRequest;
  }
  if (access === 'revoked' && request.status === 'approved') {
    await operatorUseCases.revokeAccessRequest({
      id: request.id,
      reason: 'Our reporting moved elsewhere.',
    });
  }
}
