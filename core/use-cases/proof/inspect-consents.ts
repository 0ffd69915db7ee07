import { isLive } from '../../model/consent/access-request.ts';
import { issueReceipt } from '../../model/consent/issue-receipt.ts';
import { type ConsentTrail, findInconsistency } from '../../model/consistency/consent-trail.ts';
import type { Inconsistency } from '../../model/consistency/inconsistency.ts';
import type { WhichConsents } from '../../ports/consistency.ts';
import type { Ports } from '../../ports/index.ts';
import { type Verify, verifyWith } from './verify-signatures.ts';

type InspectionPorts = Pick<Ports, 'consistency' | 'jwsVerifier' | 'signingKeys'>;

interface InspectionOptions {
  /** True if an unsigned receipt is a problem. */
  readonly mustBeSigned: boolean;
  /** True to skip requests that have ended. */
  readonly onlyLive?: boolean;
  /** Called before each page. */
  readonly isStopping?: (() => boolean) | undefined;
}

/** Compares access requests with their events and receipts, and verifies the signatures. */
export async function* inspectConsents(
  ports: InspectionPorts,
  which: WhichConsents,
  { mustBeSigned, onlyLive = false, isStopping }: InspectionOptions,
): AsyncGenerator<Inconsistency> {
  const verify = verifyWith(ports);
  for await (const trails of ports.consistency.walkConsents(which)) {
    if (isStopping?.()) return;
    for (const { request, events, receipts } of trails) {
      if (onlyLive && !isLive(request)) continue;
      const problem =
        findInconsistency(request, events, receipts) ??
        (await findUnproven({ events, receipts }, verify, mustBeSigned));
      if (problem !== null) yield { check: 'consents', subject: request.id, problem };
    }
  }
}

async function findUnproven(
  { events, receipts }: Pick<ConsentTrail, 'events' | 'receipts'>,
  verify: Verify,
  mustBeSigned: boolean,
): Promise<string | null> {
  for (const receipt of receipts) {
    const event = events.find(({ id }) => id === receipt.eventId);
    const issued = event && issueReceipt(event, receipt);
    const isProven = issued ? await verify(issued.jws) : !mustBeSigned;
    if (isProven) continue;
    return issued
      ? `the signature of the receipt ${receipt.id} is wrong`
      : `the receipt ${receipt.id} isn't signed; run sign --missing if the change was made`;
  }
  return null;
}

/** Services without a signing key of their own sign nothing. */
export async function hasSigningKey({ signingKeys }: Pick<Ports, 'signingKeys'>): Promise<boolean> {
  const keys = await signingKeys.list();
  return keys.some(({ isImported, retiredAt }) => !isImported && retiredAt === null);
}
