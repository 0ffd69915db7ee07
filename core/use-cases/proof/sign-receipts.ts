import { signReceipt } from '../../model/consent/issue-receipt.ts';
import type { Inconsistency } from '../../model/consistency/inconsistency.ts';
import type { Cursor } from '../../model/cursor.ts';
import { AccessError, ensure } from '../../model/errors.ts';
import type { SigningIdentity } from '../../model/proof/signing-key.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReceiptOfEvent } from '../../ports/receipts.ts';
import { inspectConsents } from './inspect-consents.ts';

/**
 * Returns the key that signs now. Returns null if no key is usable: a change such as a revocation must not wait until
 * an operator repairs the key file.
 *
 * @throws AccessError `service_unavailable`
 */
export async function signingIdentity({ signer }: Ports): Promise<SigningIdentity | null> {
  try {
    return await signer.current();
  } catch (error) {
    if (error instanceof AccessError) throw error;
    return null;
  }
}

const batchSize = 200;

interface SigningOptions {
  /** Called before a batch is signed. Returns false to stop without signing the batch. */
  readonly confirm: (receipts: readonly ReceiptOfEvent[]) => Promise<boolean>;
  /** Called for each access request whose receipts stay unsigned, because its history has a problem. */
  readonly onRefused?: (refused: Inconsistency) => void;
}

/**
 * Signs the unsigned receipts, oldest first, and marks them as signed late. Each batch is committed separately, so a
 * stopped run can be repeated. If the history of an access request has a problem, its receipts stay unsigned.
 *
 * @returns the number of signed receipts
 * @throws Refusal `signing_key_missing`
 */
export const signMissingReceipts =
  (ports: Ports) =>
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
      const provenReceipts = unsigned.filter(({ event }) => !refused.has(event.accessRequest.id));
      if (provenReceipts.length > 0) {
        if (!(await confirm(provenReceipts))) return signed;
        signed += await signBatch(ports, provenReceipts);
      }
      after = { instant: last.issuedAt, id: last.id };
    }
  };

async function signBatch(
  { clock, receipts, signer }: Ports,
  unsigned: readonly ReceiptOfEvent[],
): Promise<number> {
  // The signing key may have changed while the operator confirmed the batch.
  const identity = await signer.current();
  ensure(identity !== null, 'signing_key_missing');
  const signedAt = clock.now();
  return receipts.sign(
    unsigned.map(({ event, receipt }) => ({
      event,
      receipt,
      signature: signReceipt(event, { ...receipt, signedAt }, identity),
      signedAt,
    })),
  );
}
