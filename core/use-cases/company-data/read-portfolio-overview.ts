import type { PortfolioCompany } from '../../model/company-data/company.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import { listPortfolio } from './read-portfolio.ts';

const scope = 'sources:read';

export interface PortfolioState extends PortfolioCompany {
  /** True if the company shares its sources with the investor, and a source has failed or is stale. */
  readonly isLate: boolean;
}

/**
 * Returns the portfolio by name. `isLate` needs a live grant but leaves no access record, because it contains no value.
 *
 * @throws AccessError `insufficient_scope`
 */
export const readPortfolioOverview =
  (ports: Ports) =>
  async (caller: InvestorCaller): Promise<PortfolioState[]> => {
    const companies = await listPortfolio(ports)(caller);
    const sharing = caller.scopes.includes(scope)
      ? companies.filter(({ grant }) => grant?.approvedScopes.includes(scope))
      : [];
    const late =
      sharing.length === 0
        ? new Set()
        : await ports.companyData.findStopped(
            sharing.map(({ id }) => id),
            ports.clock.now(),
          );
    return companies.map((company) => ({ ...company, isLate: late.has(company.id) }));
  };
