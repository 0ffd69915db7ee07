import { OperatorError } from '../errors.ts';
import type { Investor } from '../identity/investor.ts';
import { findInvestor } from '../identity/manage-investors.ts';
import type { Ports } from '../ports.ts';
import type { Company } from './company.ts';
import { findCompany } from './manage-companies.ts';

export interface Pair {
  readonly investorId: string;
  readonly companyId: string;
}

/**
 * Puts a company into an investor's portfolio; one that is there already stays.
 *
 * @throws OperatorError `not_found`, or `invalid` when the two belong to different environments
 */
export const addToPortfolio =
  (ports: Ports) =>
  async (pair: Pair): Promise<{ investor: Investor; company: Company }> => {
    const investor = await findInvestor(ports, pair.investorId);
    const company = await findCompany(ports, pair.companyId);
    if (investor.environment !== company.environment) {
      throw new OperatorError(
        'invalid',
        `${investor.id} is of the ${investor.environment} environment, ${company.id} of ${company.environment}`,
      );
    }
    await ports.directory.addToPortfolio(investor, company, ports.clock.now());
    return { investor, company };
  };

/**
 * Takes a company out of an investor's portfolio: from now on it does not exist for the investor, grant or not.
 *
 * @throws OperatorError `not_found`
 */
export const removeFromPortfolio =
  (ports: Ports) =>
  async (pair: Pair): Promise<{ investor: Investor; company: Company }> => {
    const investor = await findInvestor(ports, pair.investorId);
    const company = await findCompany(ports, pair.companyId);
    if (!(await ports.directory.removeFromPortfolio(investor.id, company.id))) {
      throw new OperatorError(
        'not_found',
        `${company.id} is not in the portfolio of ${investor.id}`,
      );
    }
    return { investor, company };
  };
