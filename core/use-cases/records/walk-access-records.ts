import type { z } from 'zod';
import type { CompanyCaller, ContactCaller } from '../../model/identity/caller.ts';
import type { ReceivedRecord } from '../../ports/access-records.ts';
import type { Ports } from '../../ports/index.ts';
import { credentialOf, requireLive } from '../sign-in/live-credential.ts';
import { listReceivedRecords, type listReceivedRecordsInput } from './list-access-records.ts';

const recordsOfPiece = 200;

type WalkReceivedRecordsInput = Omit<z.input<typeof listReceivedRecordsInput>, 'cursor' | 'limit'>;

/**
 * All that `listReceivedRecords` has, in pieces, newest first. Each piece is read when it is asked for, by the credential
 * as it stands then.
 *
 * @throws InputError, and AccessError `invalid_api_key` on the way when the key or the session has ended
 */
export const walkReceivedRecords = (ports: Ports) =>
  async function* (
    caller: CompanyCaller | ContactCaller,
    filter: WalkReceivedRecordsInput = {},
  ): AsyncGenerator<readonly ReceivedRecord[], undefined> {
    const { readKey } = credentialOf(ports, caller);
    const list = listReceivedRecords(ports);
    let cursor: string | null = null;
    do {
      if (cursor !== null) requireLive(ports, await readKey());
      const page: Awaited<ReturnType<typeof list>> = await list(caller, {
        ...filter,
        cursor,
        limit: recordsOfPiece,
      });
      yield page.items;
      cursor = page.nextCursor;
    } while (cursor !== null);
  };
