import { type Company, isCompanyId } from '../../model/company-data/company.ts';
import { ensure } from '../../model/errors.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import type { Investor } from '../../model/identity/investor.ts';
import type { Owner, OwnerOrOperator } from '../../model/identity/owner.ts';
import type { Ports } from '../../ports/index.ts';

export async function findCompany({ directory }: Ports, id: string): Promise<Company> {
  const company = isCompanyId(id) ? await directory.findCompany(id) : null;
  ensure(company !== null, 'company_not_found', `the company ${id} doesn’t exist`);
  return company;
}

export async function findInvestor({ directory }: Ports, id: string): Promise<Investor> {
  const investor = await directory.findInvestor(id);
  ensure(investor !== null, 'investor_not_found', `the investor ${id} doesn’t exist`);
  return investor;
}

/** Returns the caller's investor. A missing investor is an internal error, because the caller was admitted. */
export const readInvestor =
  ({ directory }: Ports) =>
  async ({ investorId }: InvestorCaller): Promise<Investor> => {
    const investor = await directory.findInvestor(investorId);
    if (investor === null) throw new Error(`the investor ${investorId} is gone`);
    return investor;
  };

/** The company or investor that an operator names. If both IDs are absent, all owners are meant. */
export interface NamedOwner {
  readonly companyId?: string | undefined;
  readonly investorId?: string | undefined;
}

export async function findOwner(
  ports: Ports,
  { companyId, investorId }: NamedOwner,
): Promise<OwnerOrOperator> {
  const isOne = companyId === undefined || investorId === undefined;
  ensure(isOne, 'invalid_parameter', 'name a company or an investor, not both');
  if (companyId !== undefined) return { companyId: (await findCompany(ports, companyId)).id };
  if (investorId !== undefined) return { investorId: (await findInvestor(ports, investorId)).id };
  return null;
}

/** Like `findOwner`, but requires exactly one ID. */
export async function requireOwner(ports: Ports, named: NamedOwner): Promise<Owner> {
  const owner = await findOwner(ports, named);
  ensure(owner !== null, 'invalid_parameter', 'name a company or an investor');
  return owner;
}
