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
 * How often data was read under each of the access requests to the caller's company, and when last, in the order of the
 * ids. What is no request to this company is left out.
 *
 * @throws InputError
 */
export const readGrantUsage =
  ({ accessStatistics }: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof readGrantUsageInput>,
  ): Promise<readonly GrantUsage[]> => {
    const { ids } = parseInput(readGrantUsageInput, input);
    const asked = [...new Set(ids)].filter(isAccessRequestId);
    if (asked.length === 0) return [];
    const found = await accessStatistics.readUsage(companyId, asked);
    const usages = new Map(found.map((usage) => [usage.accessRequestId, usage]));
    return asked.flatMap((id) => usages.get(id) ?? []);
  };
