import { z } from 'zod';
import { isCompanyId, type PortfolioCompany } from '../../model/company-data/company.ts';
import {
  companyAccess,
  companyAccesses,
  readableScopes,
} from '../../model/consent/access-policy.ts';
import { AccessError } from '../../model/errors.ts';
import { type InvestorCaller, requireScope } from '../../model/identity/caller.ts';
import { type CompanyInput, companyInput, parseInput } from '../../model/input.ts';
import type { PortfolioEntry } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';

export const listPortfolioInput = z.object({ access: z.enum(companyAccesses).optional() });

type ListPortfolioInput = z.input<typeof listPortfolioInput>;

/**
 * Returns the caller's portfolio by name, with the current access.
 *
 * @throws AccessError `insufficient_scope`
 */
export const listPortfolio =
  ({ clock, directory }: Ports) =>
  async (caller: InvestorCaller, input: ListPortfolioInput = {}): Promise<PortfolioCompany[]> => {
    const { access } = parseInput(listPortfolioInput, input);
    requireScope(caller, 'companies:read');
    const entries = await directory.readPortfolio(caller.investorId);
    const now = clock.now();
    return entries
      .map((entry) => presentEntry(entry, now))
      .filter((company) => access === undefined || company.access === access);
  };

/** @throws AccessError `insufficient_scope`, `company_not_found` */
export const readPortfolioCompany =
  ({ clock, directory }: Ports) =>
  async (caller: InvestorCaller, input: CompanyInput): Promise<PortfolioCompany> => {
    const { companyId } = parseInput(companyInput, input);
    requireScope(caller, 'companies:read');
    const { investorId } = caller;
    const entry = isCompanyId(companyId)
      ? await directory.findInPortfolio(investorId, companyId)
      : null;
    if (entry === null) throw new AccessError('company_not_found');
    return presentEntry(entry, clock.now());
  };

export function presentEntry(
  { company, newestRequest }: PortfolioEntry,
  now: Date,
): PortfolioCompany {
  const access = companyAccess(newestRequest, now);
  const grant =
    access === 'approved' && newestRequest !== null
      ? {
          approvedScopes: readableScopes(newestRequest, true, now),
          expiresAt: newestRequest.deadlineAt,
        }
      : null;
  return {
    id: company.id,
    name: company.name,
    access,
    grant,
    newestRequestId: newestRequest?.id ?? null,
  };
}
