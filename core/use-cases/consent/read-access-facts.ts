import type { VersionedAccessFacts } from '../../model/consent/access-policy.ts';
import { factsWithinToken } from '../../model/identity/access-token.ts';
import { type InvestorCaller, isInvestorContact } from '../../model/identity/caller.ts';
import { validityOfSession } from '../../model/sign-in/session.ts';
import type { Ports } from '../../ports/index.ts';

/** Reads the facts for a decision about the company: those of the calling key, or of the contact and its session. */
export function readAccessFacts(
  { accessFacts }: Pick<Ports, 'accessFacts'>,
  caller: InvestorCaller,
  companyId: string,
): Promise<VersionedAccessFacts> {
  if (!isInvestorContact(caller)) {
    return accessFacts
      .read({ keyId: caller.credentialId, companyId })
      .then((facts) => factsWithinToken(facts, caller.token));
  }
  const { credentialId: sessionId, contactId, scopes } = caller;
  return accessFacts
    .readOfContact({ sessionId, contactId, companyId })
    .then(({ session, ...facts }) => ({
      ...facts,
      key: session && { ...validityOfSession(session), scopes },
    }));
}
