import type { z } from 'zod';
import {
  type ConnectionPage,
  connectionInput,
  requestedPageOf,
  toConnectionPage,
} from '../../model/connection.ts';
import { type AccessRequest, asOf } from '../../model/consent/access-request.ts';
import { readCursor, writeCursor } from '../../model/cursor.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { cursorOfRequest, requestFilterInput } from './list-access-requests.ts';

const pageAccessRequestsInput = connectionInput.extend({
  status: requestFilterInput.shape.status.nullable(),
});

export interface AccessRequestEdge {
  readonly cursor: string;
  readonly accessRequest: AccessRequest;
}

type AccessRequestPage = ConnectionPage<AccessRequestEdge>;

/** Returns a page like `listAccessRequests`, from either end of the list. */
export const pageAccessRequests =
  ({ accessRequests, clock }: Ports) =>
  async (
    { investorId }: InvestorCaller,
    input: z.input<typeof pageAccessRequestsInput> = {},
  ): Promise<AccessRequestPage> => {
    const parsed = parseInput(pageAccessRequestsInput, input);
    const page = requestedPageOf(parsed);
    const now = clock.now();
    const filter = { investorId, status: parsed.status ?? undefined, now };
    const found = await accessRequests.list({
      ...filter,
      olderThan: readCursor(parsed.after, 'after'),
      newerThan: readCursor(parsed.before, 'before'),
      isOldestFirst: page.isFromEnd,
      limit: page.limit + 1,
    });
    const toEdge = (request: AccessRequest): AccessRequestEdge => ({
      // Computed on demand, because most readers ignore it.
      get cursor() {
        return writeCursor(cursorOfRequest(request));
      },
      accessRequest: asOf(request, now),
    });
    return toConnectionPage(found, parsed, page, toEdge, () => accessRequests.count(filter));
  };
