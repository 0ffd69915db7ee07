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
 * Returns the caller's portfolio, sorted by name, with the current access to each company.
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

export interface PortfolioState extends PortfolioCompany {
  /** True if the company shares its sources with the investor, and a source has failed or is stale. */
  readonly isLate: boolean;
}

/**
 * Returns the portfolio, sorted by name. `isLate` needs a live grant. It contains no figures, so reading it writes no
 * access record.
 *
 * @throws AccessError `insufficient_scope`
 */
export const readPortfolioOverview =
  (ports: Ports) =>
  async (caller: InvestorCaller): Promise<PortfolioState[]> => {
    const companies = await listPortfolio(ports)(caller);
    const sharing = caller.scopes.includes('sources:read')
      ? companies.filter(
          ({ grant, isAccessPaused }) =>
            !isAccessPaused && grant?.approvedScopes.includes('sources:read'),
        )
      : [];
    const late =
      sharing.length === 0
        ? new Set()
        : await ports.companyData.findCompaniesWithUnhealthySources(
            sharing.map(({ id }) => id),
            ports.clock.now(),
          );
    return companies.map((company) => ({ ...company, isLate: late.has(company.id) }));
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
          terms: newestRequest.approvedTerms,
          expiresAt: newestRequest.deadlineAt,
        }
      : null;
  return {
    id: company.id,
    name: company.name,
    access,
    isAccessPaused: grant !== null && newestRequest?.pausedAt !== null,
    grant,
    newestRequestId: newestRequest?.id ?? null,
  };
}
