import { signReceipt } from '../../model/consent/issue-receipt.ts';
import type { Inconsistency } from '../../model/consistency/inconsistency.ts';
import type { Cursor } from '../../model/cursor.ts';
import { AccessError, ensure } from '../../model/errors.ts';
import type { SigningIdentity } from '../../model/proof/signing-key.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReceiptOfEvent } from '../../ports/receipts.ts';
import { inspectConsents } from './inspect-consents.ts';

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
  /** Returns false to end the run before these are signed. Called before each batch. */
  readonly confirm: (receipts: readonly ReceiptOfEvent[]) => Promise<boolean>;
  /** Takes each request whose receipts are left without a signature, because its history has a problem. */
  readonly onRefused?: (refused: Inconsistency) => void;
}

type SignPorts = Pick<Ports, 'clock' | 'consistency' | 'jwsVerifier' | 'receipts' | 'signer'> &
  Pick<Ports, 'signingKeys'>;

/**
 * Signs the receipts that have no signature, oldest first. Each batch is committed by itself, so the run can be ended at
 * any time and started again, by several processes at once too. A receipt says when it was signed late, because only the
 * person who confirms knows whether the change was made. The receipts of a request with a problem are never signed.
 *
 * @returns how many were signed
 * @throws Refusal `signing_key_missing`
 */
export const signMissingReceipts =
  (ports: SignPorts) =>
  async ({ confirm, onRefused = () => undefined }: SigningOptions): Promise<number> => {
    const { receipts, signer } = ports;
    const refused = new Set<string>();
    let signed = 0;
    let after: Cursor | null = null;
    for (;;) {
      const unsigned: readonly ReceiptOfEvent[] = await receipts.listUnsigned(batchSize, after);
      const last = unsigned.at(-1)?.receipt;
      if (last === undefined) return signed;
      ensure((await signer.current()) !== null, 'signing_key_missing');
      const ids = new Set(unsigned.map(({ event }) => event.accessRequest.id));
      const unknown = [...ids.difference(refused)];
      for await (const problem of inspectConsents(ports, unknown, { mustBeSigned: false })) {
        refused.add(problem.subject);
        onRefused(problem);
      }
      const sound = unsigned.filter(({ event }) => !refused.has(event.accessRequest.id));
      if (sound.length > 0) {
        if (!(await confirm(sound))) return signed;
        signed += await signBatch(ports, sound);
      }
      after = { instant: last.issuedAt, id: last.id };
    }
  };

async function signBatch(
  { clock, receipts, signer }: SignPorts,
  unsigned: readonly ReceiptOfEvent[],
): Promise<number> {
  // The key may have changed while the operator confirmed.
  const identity = await signer.current();
  ensure(identity !== null, 'signing_key_missing');
  const signedAt = clock.now();
  return receipts.sign(
    unsigned.map(({ event, receipt }) => ({
      id: receipt.id,
      signature: signReceipt(event, { ...receipt, signedAt }, identity),
      signedAt,
    })),
  );
}
