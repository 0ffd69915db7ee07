import type { PortfolioCompany } from '../../model/company-data/company.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import { listPortfolio } from './read-portfolio.ts';

const scope = 'sources:read';

/** A company of the portfolio, and whether its data is late. */
export interface PortfolioState extends PortfolioCompany {
  /** True if the company shares its sources with the investor, and one of them has failed or is stale. */
  readonly isLate: boolean;
}

/**
 * Returns all companies of the caller's portfolio, by name. Like the events of sources, `isLate` contains no value. So it
 * needs a live grant, but leaves no access record.
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
