import type { AccessRequest } from '../../model/consent/access-request.ts';
import type { Page } from '../../model/cursor.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { callCost, rowsPerPoint } from '../../model/identity/rate-limit.ts';
import { requireLive } from '../../model/identity/require-live.ts';
import type { Ports } from '../../ports/index.ts';
import { chargeCaller } from '../identity/admit-caller.ts';
import { credentialOf } from '../sign-in/live-credential.ts';
import { listAccessRequests, type RequestFilterInput } from './list-access-requests.ts';

/** Rows of a page after the first. A page that is half done when memory is collected stays in it, so it is small. */
const rowsOfPage = rowsPerPoint / 8;

/**
 * All requests of the caller's investor, newest first, page by page: each one that was there at the beginning once, as it
 * stands when its page is read. A page is read when it is asked for, by the key as it stands then. The first one is paid
 * with the call; each started number of rows that a point buys costs a further one, and what goes over the limit is a debt that counts against the next
 * call, so that a list which has begun comes to its end.
 *
 * @throws InputError, and AccessError `invalid_api_key` on the way when the key has ended
 */
export const walkAccessRequests = (ports: Ports) =>
  async function* (
    caller: InvestorCaller,
    filter: RequestFilterInput = {},
  ): AsyncGenerator<Page<AccessRequest>, undefined> {
    const readPage = (cursor: string | null, limit: number) =>
      listAccessRequests(ports)(caller, { ...filter, cursor, limit });
    const { readKey } = credentialOf(ports, caller);
    let page = await readPage(null, rowsPerPoint);
    let rows = page.items.length;
    yield page;
    while (page.nextCursor !== null) {
      const [next, key] = await Promise.all([
        readPage(page.nextCursor, rowsOfPage),
        readKey(),
        rows % rowsPerPoint === 0 && chargeCaller(ports)(caller, callCost),
      ]);
      requireLive(key, ports.clock.now());
      page = next;
      rows += page.items.length;
      yield page;
    }
  };
