import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { Investor } from '../../model/identity/investor.ts';
import type { Ports } from '../../ports/index.ts';

const maxListed = 1_000;

/** Returns up to a thousand investors that ever asked the caller's company for access, by name. */
export const listRequestingInvestors =
  ({ accessRequests }: Ports) =>
  async ({ companyId }: CompanyCaller): Promise<readonly Pick<Investor, 'id' | 'name'>[]> =>
    accessRequests.listRequestingInvestors(companyId, maxListed);
