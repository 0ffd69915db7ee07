import { type Company, isCompanyId, isSandboxCompany } from '../../model/company-data/company.ts';
import { ensure } from '../../model/errors.ts';
import type { Environment, Investor } from '../../model/identity/investor.ts';
import { requireName } from '../../model/text.ts';
import type { Membership } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany, findInvestor } from '../identity/organisations.ts';
import { makeSandbox } from '../sandbox/make-sandbox.ts';

/** @throws OperatorError `invalid`, or `conflict` when the id is taken */
export const createCompany =
  ({ clock, directory, ids }: Ports) =>
  async (input: {
    name: string;
    environment: Environment;
    id?: string | undefined;
  }): Promise<Company> => {
    const company: Company = {
      id: input.id ?? ids.next('co'),
      name: requireName(input.name),
      environment: input.environment,
      createdAt: clock.now(),
    };
    ensure(
      isCompanyId(company.id),
      'invalid',
      'a company id is co_ and 1 to 64 letters, digits, underscores or hyphens',
    );
    const isReserved = isSandboxCompany(company.id);
    ensure(!isReserved, 'invalid', 'company ids that begin with co_test_ are of the sandbox');
    const isAdded = await directory.addCompany(company);
    ensure(isAdded, 'conflict', `the company id ${company.id} is taken`);
    return company;
  };

/** Every company of both environments, oldest first. */
export const listCompanies =
  ({ directory }: Ports) =>
  (): Promise<Company[]> =>
    directory.listCompanies();

interface PairIds {
  readonly investorId: string;
  readonly companyId: string;
}

interface Pair {
  readonly investor: Investor;
  readonly company: Company;
}

async function findPair(ports: Ports, { investorId, companyId }: PairIds): Promise<Pair> {
  const investor = await findInvestor(ports, investorId);
  // An investor from before there was a sandbox may be the first that wants it.
  if (isSandboxCompany(companyId) && investor.environment === 'test') await makeSandbox(ports);
  return { investor, company: await findCompany(ports, companyId) };
}

/**
 * Puts a company into an investor's portfolio; one that is there already stays.
 *
 * @throws OperatorError `not_found`, or `invalid` when the two belong to different environments
 */
export const addToPortfolio =
  (ports: Ports) =>
  async (ids: PairIds): Promise<Pair> => {
    const { investor, company } = await findPair(ports, ids);
    ensure(
      investor.environment === company.environment,
      'invalid',
      `${investor.id} is of the ${investor.environment} environment, ${company.id} of ${company.environment}`,
    );
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
  async (ids: PairIds): Promise<Pair> => {
    const { investor, company } = await findPair(ports, ids);
    const wasThere = await ports.directory.removeFromPortfolio(investor.id, company.id);
    ensure(wasThere, 'not_found', `${company.id} is not in the portfolio of ${investor.id}`);
    return { investor, company };
  };

const maxMemberships = 100_000;

/**
 * Which investor has which company in its portfolio, of one investor, of one company, or all of them, and whether there
 * are more than were asked for.
 *
 * @throws OperatorError `invalid`, `not_found`
 */
export const listPortfolios =
  (ports: Ports) =>
  async (filter: {
    investorId?: string | undefined;
    companyId?: string | undefined;
    limit: number;
  }): Promise<{ memberships: Membership[]; hasMore: boolean }> => {
    const { investorId = null, companyId = null, limit } = filter;
    const isPossible = limit >= 1 && limit <= maxMemberships;
    ensure(isPossible, 'invalid', `a list has from 1 to ${maxMemberships} memberships`);
    if (investorId !== null) await findInvestor(ports, investorId);
    if (companyId !== null) await findCompany(ports, companyId);
    const asked = { investorId, companyId, limit: limit + 1 };
    const found = await ports.directory.listMemberships(asked);
    return { memberships: found.slice(0, limit), hasMore: found.length > limit };
  };
