import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { Investor } from '../../model/identity/investor.ts';
import type { Ports } from '../../ports/index.ts';

const maxListed = 1_000;

/** The investors that ever asked the caller's company for access, by name; of more than a thousand, a thousand. */
export const listAskingInvestors =
  ({ accessRequests }: Ports) =>
  async ({ companyId }: CompanyCaller): Promise<readonly Pick<Investor, 'id' | 'name'>[]> =>
    accessRequests.listAskingInvestors(companyId, maxListed);
