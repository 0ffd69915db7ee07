import { signReceipt } from '../../model/consent/issue-receipt.ts';
import { AccessError, ensure } from '../../model/errors.ts';
import type { SigningIdentity } from '../../model/proof/signing-key.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReceiptOfEvent } from '../../ports/receipts.ts';

/**
 * The key that signs what happens now; null when there is none that can be used, because nobody should have to wait with
 * a revocation until a file is mended. What is not signed now is signed by `signMissingReceipts`.
 *
 * @throws AccessError `service_unavailable`
 */
export async function signingIdentity({
  signer,
}: Pick<Ports, 'signer'>): Promise<SigningIdentity | null> {
  try {
    return await signer.current();
  } catch (error) {
    if (error instanceof AccessError) throw error;
    return null;
  }
}

/** As many as are signed without a break. */
const batchSize = 200;

interface SigningOptions {
  /** Whether these may be signed; asked before each batch. When not, nothing more is. */
  readonly confirm: (receipts: readonly ReceiptOfEvent[]) => Promise<boolean>;
}

/**
 * Signs the receipts that have no signature, oldest first, by batches of which each is committed by itself: it can be
 * ended at any time and begun again, by several processes at once too. Each says when it was signed, because nobody but
 * whoever confirms can tell that its event was written at the time that it bears.
 *
 * @returns how many were signed
 * @throws Refusal `signing_key_missing`
 */
export const signMissingReceipts =
  ({ clock, receipts, signer }: Pick<Ports, 'clock' | 'receipts' | 'signer'>) =>
  async ({ confirm }: SigningOptions): Promise<number> => {
    let signed = 0;
    for (;;) {
      const unsigned = await receipts.listUnsigned(batchSize);
      if (unsigned.length === 0) return signed;
      ensure((await signer.current()) !== null, 'signing_key_missing');
      if (!(await confirm(unsigned))) return signed;
      // Whoever was asked may have taken their time.
      const identity = await signer.current();
      ensure(identity !== null, 'signing_key_missing');
      const signedAt = clock.now();
      signed += await receipts.sign(
        unsigned.map(({ event, receipt }) => ({
          id: receipt.id,
          signature: signReceipt(event, { ...receipt, signedAt }, identity),
          signedAt,
        })),
      );
    }
  };
