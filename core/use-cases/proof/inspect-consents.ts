import { isLive } from '../../model/consent/access-request.ts';
import { issueReceipt } from '../../model/consent/issue-receipt.ts';
import { type ConsentTrail, findInconsistency } from '../../model/consistency/consent-trail.ts';
import type { Inconsistency } from '../../model/consistency/inconsistency.ts';
import { readOwnKeyId } from '../../model/proof/jws.ts';
import type { PublicJwk } from '../../model/proof/upstream-signer.ts';
import type { WhichConsents } from '../../ports/consistency.ts';
import type { Ports } from '../../ports/index.ts';

interface InspectionOptions {
  readonly mustBeSigned: boolean;
  readonly onlyLive?: boolean;
  /** Called before each page of access requests. Returns true to stop the inspection. */
  readonly isStopping?: (() => boolean) | undefined;
}

/** Compares access requests with their events and receipts, and verifies the signatures. */
export async function* inspectConsents(
  ports: Ports,
  selection: WhichConsents,
  { mustBeSigned, onlyLive = false, isStopping }: InspectionOptions,
): AsyncGenerator<Inconsistency> {
  const verify = verifyWith(ports);
  for await (const trails of ports.consistency.walkConsents(selection)) {
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

/** Returns true if this service has a key that can sign. Imported keys can't sign here. */
export async function hasSigningKey({ signingKeys }: Ports): Promise<boolean> {
  const keys = await signingKeys.list();
  return keys.some(({ isImported, retiredAt }) => !isImported && retiredAt === null);
}

export type Verify = (jws: string) => Promise<boolean>;

/** Returns a function that verifies this service's signatures with all registered keys, even retired ones. */
export function verifyWith({ jwsVerifier, signingKeys }: Ports): Verify {
  const keys = new Map<string, PublicJwk>();
  return async (jws) => {
    const kid = readOwnKeyId(jws);
    if (!keys.has(kid)) {
      // Another process may have registered this key, so the keys are read again.
      for (const { kid: known, x } of await signingKeys.list()) {
        if (!keys.has(known)) keys.set(known, { kty: 'OKP', crv: 'Ed25519', x });
      }
    }
    const key = keys.get(kid);
    return key !== undefined && jwsVerifier.verify(jws, key);
  };
}
