import type { z } from 'zod';
import { type Page, readCursor, toPage } from '../../model/cursor.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { pageInput, parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { cursorOfRequest, presentListed, type ReadableRequest } from './list-access-requests.ts';

/**
 * Returns a page of the pending requests and additions that wait for the caller's company, newest first.
 *
 * @throws InputError
 */
export const listWaitingRequests =
  ({ accessRequests, clock }: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof pageInput> = {},
  ): Promise<Page<ReadableRequest>> => {
    const { limit, cursor } = parseInput(pageInput, input);
    const now = clock.now();
    const found = await accessRequests.listWaiting({
      companyId,
      now,
      before: readCursor(cursor),
      limit: limit + 1,
    });
    const readable = found.map((each) => presentListed(each, now));
    return toPage(readable, limit, ({ accessRequest }) => cursorOfRequest(accessRequest));
  };

/** Limits the time that counting takes. */
const maxCounted = 100;

/** A number up to a limit, or the fact that there are more. */
export interface CappedCount {
  readonly count: number;
  readonly hasMore: boolean;
}

/** Counts the requests and additions that wait for the caller's company. */
export const countReceivedRequests =
  ({ accessRequests, clock }: Ports) =>
  async ({ companyId }: CompanyCaller): Promise<CappedCount> => {
    const now = clock.now();
    const count = await accessRequests.countWaiting({ companyId, now, limit: maxCounted + 1 });
    return { count: Math.min(count, maxCounted), hasMore: count > maxCounted };
  };
