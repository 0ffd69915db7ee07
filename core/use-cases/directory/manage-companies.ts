import { z } from 'zod';
import { type Company, isCompanyId, isSandboxCompany } from '../../model/company-data/company.ts';
import { ensure } from '../../model/errors.ts';
import { environments, type Investor } from '../../model/identity/investor.ts';
import {
  changeOfParty,
  changeOfPortfolio,
  settingsChange,
} from '../../model/identity/settings-change.ts';
import { parseInput, requireLimit, trimmedNameInput } from '../../model/input.ts';
import type { Membership } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany, findInvestor } from '../identity/organisations.ts';
import { makeSandbox } from '../sandbox/make-sandbox.ts';

const newCompanyInput = z.strictObject({
  name: trimmedNameInput,
  environment: z.enum(environments),
  id: z
    .string()
    .refine(isCompanyId, {
      params: { reason: 'must be co_ and 1 to 64 letters, digits, underscores or hyphens' },
    })
    .refine((id) => !isSandboxCompany(id), {
      params: { reason: 'must not begin with co_test_, which is reserved for the sandbox' },
    })
    .optional(),
});

/** @throws Refusal `company_id_taken` */
export const createCompany =
  ({ clock, directory, ids }: Ports) =>
  async (input: z.input<typeof newCompanyInput>): Promise<Company> => {
    const { id = ids.next('co'), ...fields } = parseInput(newCompanyInput, input);
    const company: Company = { id, ...fields, createdAt: clock.now(), suspendedAt: null };
    const changed = changeOfParty('created', { companyId: id }, null, company);
    const change = settingsChange(ids, company.createdAt, null, changed);
    const isAdded = await directory.addCompany(company, change);
    ensure(isAdded, 'company_id_taken', `the company id ${id} is taken`);
    return company;
  };

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
  // If the investor was created before the sandbox, the sandbox companies may not exist yet.
  if (isSandboxCompany(companyId) && investor.environment === 'test') await makeSandbox(ports);
  return { investor, company: await findCompany(ports, companyId) };
}

/**
 * Adds a company to an investor's portfolio. Does nothing if the portfolio already contains the company.
 *
 * @throws Refusal `investor_not_found`, `company_not_found`, `environment_mismatch`
 */
export const addToPortfolio =
  (ports: Ports) =>
  async (ids: PairIds): Promise<Pair> => {
    const { investor, company } = await findPair(ports, ids);
    ensure(
      investor.environment === company.environment,
      'environment_mismatch',
      `${investor.id} belongs to the ${investor.environment} environment, but ${company.id} to ${company.environment}`,
    );
    const now = ports.clock.now();
    const changed = changeOfPortfolio('company_added', investor, company);
    const change = settingsChange(ports.ids, now, null, changed);
    await ports.directory.addToPortfolio(investor, company, now, change);
    return { investor, company };
  };

/**
 * Removes a company from an investor's portfolio. From then on, the investor can't see that the company exists.
 *
 * @throws Refusal `investor_not_found`, and `company_not_found` if the company doesn't exist or isn't in the portfolio
 */
export const removeFromPortfolio =
  (ports: Ports) =>
  async (ids: PairIds): Promise<Pair> => {
    const { investor, company } = await findPair(ports, ids);
    const changed = changeOfPortfolio('company_removed', investor, company);
    const change = settingsChange(ports.ids, ports.clock.now(), null, changed);
    const wasThere = await ports.directory.removeFromPortfolio(investor.id, company.id, change);
    ensure(
      wasThere,
      'company_not_found',
      `${company.id} is not in the portfolio of ${investor.id}`,
    );
    return { investor, company };
  };

const maxMemberships = 100_000;

/** @throws Refusal `invalid_parameter`, `investor_not_found`, `company_not_found` */
export const listPortfolios =
  (ports: Ports) =>
  async (filter: {
    investorId?: string | undefined;
    companyId?: string | undefined;
    limit: number;
  }): Promise<{ memberships: Membership[]; hasMore: boolean }> => {
    const { investorId = null, companyId = null, limit } = filter;
    requireLimit(limit, maxMemberships, 'memberships');
    if (investorId !== null) await findInvestor(ports, investorId);
    if (companyId !== null) await findCompany(ports, companyId);
    const query = { investorId, companyId, limit: limit + 1 };
    const found = await ports.directory.listMemberships(query);
    return { memberships: found.slice(0, limit), hasMore: found.length > limit };
  };
