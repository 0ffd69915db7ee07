import { z } from 'zod';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import { addDays } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import { presentListed, type ReadableRequest } from './list-access-requests.ts';

const maxListed = 50;

const listEndingGrantsInput = z.strictObject({
  withinDays: z.int().min(1).max(366).default(30),
});

/**
 * Returns up to fifty grants of the caller's company that end within some days, soonest first.
 *
 * @throws InputError
 */
export const listEndingGrants =
  ({ accessRequests, clock }: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof listEndingGrantsInput> = {},
  ): Promise<readonly ReadableRequest[]> => {
    const { withinDays } = parseInput(listEndingGrantsInput, input);
    const now = clock.now();
    const until = addDays(now, withinDays);
    const found = await accessRequests.listEnding({ companyId, now, until, limit: maxListed });
    return found.map((each) => presentListed(each, now));
  };
