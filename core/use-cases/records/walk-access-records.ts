import type { z } from 'zod';
import type { Page } from '../../model/cursor.ts';
import type { CompanyCaller, ContactCaller, InvestorCaller } from '../../model/identity/caller.ts';
import { requireLive } from '../../model/identity/require-live.ts';
import type { ReceivedRecord } from '../../ports/access-records.ts';
import type { Ports } from '../../ports/index.ts';
import { credentialOf } from '../sign-in/live-credential.ts';
import { listReceivedRecords, type listReceivedRecordsInput } from './list-access-records.ts';
import { listOwnRecords, type OwnRecord, type SearchOwnRecordsInput } from './list-own-records.ts';

const recordsOfPiece = 200;

type WalkReceivedRecordsInput = Omit<z.input<typeof listReceivedRecordsInput>, 'cursor' | 'limit'>;

/**
 * Yields all records of `listReceivedRecords`, newest first. Reads one batch at a time, on demand. Checks the
 * credential again before each batch.
 *
 * @throws AccessError `invalid_api_key` if the key or session is revoked or expires during the walk
 */
export const walkReceivedRecords =
  (ports: Ports) =>
  (
    caller: CompanyCaller | ContactCaller,
    filter: WalkReceivedRecordsInput = {},
  ): AsyncGenerator<readonly ReceivedRecord[], undefined> =>
    walk(ports, caller, (page) => listReceivedRecords(ports)(caller, { ...filter, ...page }));

/** Yields all records of `listOwnRecords`, like `walkReceivedRecords`. */
export const walkOwnRecords =
  (ports: Ports) =>
  (
    caller: InvestorCaller,
    filter: Omit<SearchOwnRecordsInput, 'cursor' | 'limit'> = {},
  ): AsyncGenerator<readonly OwnRecord[], undefined> =>
    walk(ports, caller, (page) => listOwnRecords(ports)(caller, { ...filter, ...page }));

async function* walk<Item>(
  ports: Ports,
  caller: Parameters<typeof credentialOf>[1],
  list: (page: { cursor: string | null; limit: number }) => Promise<Page<Item>>,
): AsyncGenerator<readonly Item[], undefined> {
  const { readKey } = credentialOf(ports, caller);
  let cursor: string | null = null;
  do {
    if (cursor !== null) requireLive(await readKey(), ports.clock.now());
    const page: Page<Item> = await list({ cursor, limit: recordsOfPiece });
    yield page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
