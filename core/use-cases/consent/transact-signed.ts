import type { AccessEvent } from '../../model/events/access-event.ts';
import type { ActingCredential } from '../../model/identity/acting-credential.ts';
import type { AccessRequestTransaction } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';
import { signingIdentity } from '../proof/sign-receipts.ts';

export interface SignedTransaction extends Omit<AccessRequestTransaction, 'addEvent'> {
  addEvent(event: AccessEvent): Promise<void>;
}

type Work<T> = (transaction: SignedTransaction) => Promise<T>;

class KeyRetired extends Error {}

/**
 * Runs the work in one transaction with the current signing key, after the credential check. If the key is retired
 * meanwhile, the transaction is retried once with the next key. Without a key the change succeeds, and its unsigned
 * receipt is reported.
 */
export async function transactSigned<T>(
  ports: Ports,
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
  ports: Ports,
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
