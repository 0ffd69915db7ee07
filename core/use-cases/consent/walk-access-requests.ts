import type { AccessRequest } from '../../model/consent/access-request.ts';
import type { Page } from '../../model/cursor.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { callCost, rowsPerPoint } from '../../model/identity/rate-limit.ts';
import { requireLive } from '../../model/identity/require-live.ts';
import type { Ports } from '../../ports/index.ts';
import { chargeCaller } from '../identity/admit-caller.ts';
import { credentialOf } from '../sign-in/live-credential.ts';
import { listAccessRequests, type RequestFilterInput } from './list-access-requests.ts';

/** Rows of each page after the first. Small, so that unfinished pages don't survive garbage collection. */
const rowsOfPage = rowsPerPoint / 8;

/**
 * Yields all requests of the caller's investor, newest first. Each page is read on demand, with the rights that the key
 * has then. Further rows cost points of the next call, so a list that has started always finishes.
 *
 * @throws AccessError `invalid_api_key` if the key ends meanwhile
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
