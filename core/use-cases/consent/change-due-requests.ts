import type { AccessRequest } from '../../model/consent/access-request.ts';
import { AccessError } from '../../model/errors.ts';
import type { Ports } from '../../ports/index.ts';
import { type ActorAction, applyAction } from './change-access-request.ts';
import { transactSigned } from './transact-signed.ts';

export type DueAction = (request: AccessRequest, now: Date) => ActorAction | null;

interface DueChanges {
  readonly changed: number;
  readonly failures: readonly Error[];
}

/**
 * Carries out the due actions of the requests in one transaction. If the transaction fails, each request gets its own
 * transaction, so that one broken request doesn't block the others. Requests that another process has locked are
 * skipped.
 *
 * @throws AccessError `service_unavailable`
 */
export async function changeDueRequests(
  ports: Ports,
  ids: readonly string[],
  due: DueAction,
): Promise<DueChanges> {
  if (ids.length === 0) return { changed: 0, failures: [] };
  try {
    return { changed: await changeBatch(ports, ids, due), failures: [] };
  } catch (error) {
    if (isOutage(error)) throw error;
  }
  let changed = 0;
  const failures: Error[] = [];
  for (const id of ids) {
    try {
      changed += await changeBatch(ports, [id], due);
    } catch (error) {
      if (isOutage(error)) throw error;
      failures.push(new Error(`the access request ${id} could not be changed`, { cause: error }));
    }
  }
  return { changed, failures };
}

async function changeBatch(ports: Ports, ids: readonly string[], due: DueAction): Promise<number> {
  return transactSigned(ports, null, async (transaction) => {
    let changed = 0;
    for (const request of await transaction.lockAvailable(ids)) {
      const now = ports.clock.now();
      const next = due(request, now);
      if (next === null) continue;
      await applyAction(ports, transaction, request, next, now);
      changed += 1;
    }
    return changed;
  });
}

const isOutage = (error: unknown): boolean =>
  error instanceof AccessError && error.code === 'service_unavailable';
