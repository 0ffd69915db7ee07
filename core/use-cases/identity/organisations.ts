import { type Company, isCompanyId } from '../../model/company-data/company.ts';
import { OperatorError } from '../../model/errors.ts';
import type { Caller } from '../../model/identity/caller.ts';
import type { Investor } from '../../model/identity/investor.ts';
import type { Ports } from '../../ports/index.ts';

/** @throws OperatorError `not_found` */
export async function findCompany({ directory }: Ports, id: string): Promise<Company> {
  const company = isCompanyId(id) ? await directory.findCompany(id) : null;
  if (company === null) throw new OperatorError('not_found', `there is no company ${id}`);
  return company;
}

/** @throws OperatorError `not_found` */
export async function findInvestor({ directory }: Ports, id: string): Promise<Investor> {
  const investor = await directory.findInvestor(id);
  if (investor === null) throw new OperatorError('not_found', `there is no investor ${id}`);
  return investor;
}

/** The organisation behind the caller's key. */
export const readInvestor =
  ({ directory }: Ports) =>
  async ({ investorId }: Caller): Promise<Investor> => {
    const investor = await directory.findInvestor(investorId);
    if (investor === null) throw new Error(`the investor ${investorId} is gone`);
    return investor;
  };
