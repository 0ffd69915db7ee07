import type { AccessEvent } from '../../model/events/access-event.ts';
import type { Owner } from '../../model/identity/owner.ts';
import type { AccessRequestTransaction } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';
import { signingIdentity } from '../proof/sign-receipts.ts';

/** A transaction that signs the receipts of its events by itself. */
export interface SignedTransaction extends Omit<AccessRequestTransaction, 'addEvent'> {
  addEvent(event: AccessEvent): Promise<void>;
}

type SigningPorts = Pick<Ports, 'accessRequests' | 'reportUnsignedReceipt' | 'signer'>;
type Work<T> = (transaction: SignedTransaction) => Promise<T>;

/** Undoes a transaction whose key was retired while it ran. */
class KeyRetired extends Error {}

/**
 * Runs the work in one transaction, with the key that signs now. When that key is retired in this very moment, all of it
 * is undone and done once more with the key that signs then. No change of consent fails for want of a signature: what
 * cannot be signed is kept without, and reported.
 *
 * @param side of whoever acts; when absent, the work sees the requests of all
 */
export async function transactSigned<T>(
  ports: SigningPorts,
  work: Work<T>,
  side?: Owner,
): Promise<T> {
  try {
    return await transactOnce(ports, work, { side, mayStayUnsigned: false });
  } catch (error) {
    if (!(error instanceof KeyRetired)) throw error;
    return transactOnce(ports, work, { side, mayStayUnsigned: true });
  }
}

async function transactOnce<T>(
  ports: SigningPorts,
  work: Work<T>,
  {
    side,
    mayStayUnsigned,
  }: { readonly side: Owner | undefined; readonly mayStayUnsigned: boolean },
): Promise<T> {
  const identity = await signingIdentity(ports);
  const unsigned = new Set<string>();
  const result = await ports.accessRequests.transact((transaction) => {
    const addEvent = async (event: AccessEvent) => {
      if (await transaction.addEvent(event, identity)) return;
      if (identity !== null && !mayStayUnsigned) throw new KeyRetired();
      unsigned.add(event.accessRequest.id);
    };
    return work({ ...transaction, addEvent });
  }, side);
  for (const id of unsigned) ports.reportUnsignedReceipt(id);
  return result;
}
