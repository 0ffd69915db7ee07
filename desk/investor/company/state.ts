import {
  type AccessRequest,
  type GrantableScope,
  grantableScopes,
  type PortfolioCompany,
} from '#core';
import type { InvestorContext } from '../../context.ts';

/** A company of the portfolio, with what is shared, what waits for an answer, and what can be asked for. */
export interface OpenCompany {
  readonly company: PortfolioCompany;
  /** The newest request; null: there was none. */
  readonly request: AccessRequest | null;
  readonly approved: readonly GrantableScope[];
  readonly waiting: readonly GrantableScope[];
  readonly askable: readonly GrantableScope[];
}

/** @throws AccessError `company_not_found`, also for a company that is in another portfolio alone */
export async function openCompany({
  caller,
  useCases,
  id: companyId,
}: InvestorContext): Promise<OpenCompany> {
  const { investor } = useCases;
  const company = await investor.readPortfolioCompany(caller, { companyId });
  const { newestRequestId: id } = company;
  const request = id === null ? null : await investor.readAccessRequest(caller, { id });
  const approved = company.grant?.approvedScopes ?? [];
  const waiting =
    request?.status === 'pending' ? request.requestedScopes : (request?.pendingScopes ?? []);
  const taken = new Set([...approved, ...waiting]);
  const askable = grantableScopes.filter((scope) => !taken.has(scope));
  return { company, request, approved, waiting, askable };
}
