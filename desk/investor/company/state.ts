import {
  type AccessRequest,
  type GrantableScope,
  type PortfolioCompany,
  requestableScopes,
  undecidedScopes,
} from '#core';
import type { InvestorContext } from '../../context.ts';

export interface OpenCompany {
  readonly company: PortfolioCompany;
  readonly request: AccessRequest | null;
  readonly approved: readonly GrantableScope[];
  readonly waiting: readonly GrantableScope[];
  readonly requestableScopes: readonly GrantableScope[];
}

/** @throws AccessError `company_not_found`, even if the company is in another investor's portfolio */
export async function openCompany(
  { caller, useCases, id }: InvestorContext,
  companyId = id,
): Promise<OpenCompany> {
  const { investor } = useCases;
  const company = await investor.readPortfolioCompany(caller, { companyId });
  const { newestRequestId } = company;
  const request =
    newestRequestId === null
      ? null
      : await investor.readAccessRequest(caller, { id: newestRequestId });
  return {
    company,
    request,
    approved: company.grant?.approvedScopes ?? [],
    waiting: request === null ? [] : undecidedScopes(request),
    requestableScopes: requestableScopes(request),
  };
}
