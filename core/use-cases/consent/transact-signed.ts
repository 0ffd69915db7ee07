import type { AccessEvent } from '../../model/events/access-event.ts';
import type { ActingCredential } from '../../model/identity/acting-credential.ts';
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
 * Runs the work in one transaction, after the check of the credential, with the key that signs now. If that key is
 * retired meanwhile, the transaction is undone and tried once more with the next key. A missing key never makes a change
 * of consent fail: the receipt is stored without a signature and reported.
 */
export async function transactSigned<T>(
  ports: SigningPorts,
  credential: ActingCredential | null,
  work: Work<T>,
): Promise<T> {
  try {
    return await transactOnce(ports, credential, work, { mayStayUnsigned: false });
  } catch (error) {
    if (!(error instanceof KeyRetired)) throw error;
    await ports.signer.reload();
    return transactOnce(ports, credential, work, { mayStayUnsigned: true });
  }
}

async function transactOnce<T>(
  ports: SigningPorts,
  credential: ActingCredential | null,
  work: Work<T>,
  { mayStayUnsigned }: { readonly mayStayUnsigned: boolean },
): Promise<T> {
  const identity = await signingIdentity(ports);
  const unsigned = new Set<string>();
  const result = await ports.accessRequests.transact(credential, (transaction) => {
    const addEvent = async (event: AccessEvent) => {
      if (await transaction.addEvent(event, identity)) return;
      if (identity !== null && !mayStayUnsigned) throw new KeyRetired();
      unsigned.add(event.accessRequest.id);
    };
    return work({ ...transaction, addEvent });
  });
  for (const id of unsigned) ports.reportUnsignedReceipt(id);
  return result;
}
