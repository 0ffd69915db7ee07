import type { AccessRequest } from '../../model/consent/access-request.ts';
import type { Page } from '../../model/cursor.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { callCost, rowsPerPoint } from '../../model/identity/rate-limit.ts';
import { requireLive } from '../../model/identity/require-live.ts';
import type { Ports } from '../../ports/index.ts';
import { chargeCaller } from '../identity/admit-caller.ts';
import { credentialOf } from '../sign-in/live-credential.ts';
import { listAccessRequests, type RequestFilterInput } from './list-access-requests.ts';

/** The number of rows of each page after the first. Small pages are freed early by the garbage collector. */
const rowsOfPage = rowsPerPoint / 8;

/**
 * Yields all requests of the caller's investor, newest first. Each page is read on demand, and the key is checked
 * again. The pages after the first cost points, too. If they use up the budget, the next calls are refused. The list
 * itself always finishes.
 *
 * @throws AccessError `invalid_api_key` if the key is revoked or expires meanwhile
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
