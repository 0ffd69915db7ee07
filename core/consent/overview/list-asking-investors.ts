import type { CompanyCaller } from '../../identity/caller.ts';
import type { Investor } from '../../identity/investor.ts';
import type { Ports } from '../../ports.ts';

const maxListed = 1_000;

/** The investors that ever asked the caller's company for access, by name; of more than a thousand, a thousand. */
export const listAskingInvestors =
  ({ accessRequests }: Ports) =>
  async ({ companyId }: CompanyCaller): Promise<readonly Pick<Investor, 'id' | 'name'>[]> =>
    accessRequests.listAskingInvestors(companyId, maxListed);
