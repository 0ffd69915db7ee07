import { z } from 'zod';
import { isAccessRequestId } from '../../model/consent/access-request.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import type { GrantUsage } from '../../ports/statistics.ts';

const maxGrants = 200;

const readGrantUsageInput = z.strictObject({
  ids: z.array(z.string()).max(maxGrants),
});

/**
 * Returns the number of reads that each access request to the caller's company allowed, in the order of the IDs. Omits
 * the IDs of other companies' requests.
 */
export const readGrantUsage =
  ({ accessStatistics }: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof readGrantUsageInput>,
  ): Promise<readonly GrantUsage[]> => {
    const { ids } = parseInput(readGrantUsageInput, input);
    const requestIds = [...new Set(ids)].filter(isAccessRequestId);
    if (requestIds.length === 0) return [];
    const found = await accessStatistics.readUsage(companyId, requestIds);
    const usages = new Map(found.map((usage) => [usage.accessRequestId, usage]));
    return requestIds.flatMap((id) => usages.get(id) ?? []);
  };
