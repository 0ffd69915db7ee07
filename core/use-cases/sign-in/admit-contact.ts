import { noPrefetchedFacts } from '../../model/consent/prefetched-facts.ts';
import { scopes } from '../../model/consent/scopes.ts';
import type { Call, SignedIn, SignedInCaller } from '../../model/identity/caller.ts';
import { companyScopes } from '../../model/identity/company-key.ts';
import {
  type CallingSession,
  isUseToBeWritten,
  isWellFormedSession,
  validityOfSession,
} from '../../model/sign-in/session.ts';
import type { Ports } from '../../ports/index.ts';
import { type Admission, admit, type SharedBudget } from '../identity/admit-caller.ts';
import { isWayOn } from './sign-in-ways.ts';

/**
 * Admits a person with a session, like `admitCaller`. The session works only while its address belongs to a contact,
 * and while its way of signing in is allowed. If the chosen organisation removes the contact, the person must choose an
 * organisation again.
 */
export const admitContact =
  (ports: Ports) =>
  async (
    credential: string,
    points: number,
    { requestId }: Pick<Call, 'requestId'>,
  ): Promise<Admission<SignedInCaller>> => {
    const admission = await admit(ports, credential, points, {
      isWellFormed: isWellFormedSession,
      async authenticate(digest) {
        const session = await ports.deskSessions.authenticate(digest);
        if (session === null || !isWayOn(ports, session.signedInBy)) return null;
        return session.organisationCount === 0
          ? null
          : { session, key: { ...validityOfSession(session), rateLimit: null } };
      },
      budgetOf: ({ session: { chosen } }) => chosen && budgetOfPerson(chosen),
    });
    if ('refusal' in admission) return admission;
    const { rateLimit, found, budget } = admission;
    const now = ports.clock.now();
    if (isUseToBeWritten(found.session, now)) await ports.deskSessions.touch(found.session.id, now);
    return { rateLimit, caller: toCaller(found.session, { requestId, budget }) };
  };

/** People and keys have separate budgets, so that people at the desk don't use up the points of programs. */
const budgetOfPerson = (chosen: NonNullable<CallingSession['chosen']>): SharedBudget => ({
  bucket: `person:${chosen.contactId}`,
  owner: 'person',
  people: `people:${'companyId' in chosen ? chosen.companyId : chosen.investorId}`,
});

function toCaller(
  { id, email, signedInBy, organisationCount, chosen }: CallingSession,
  call: Pick<SignedIn, 'requestId' | 'budget'>,
): SignedInCaller {
  const signedIn = { ...call, credentialId: id, email, organisationCount };
  if (chosen === null) return { ...signedIn, kind: 'signed_in' };
  const actor = { type: 'contact', id: chosen.contactId, signedInBy } as const;
  if ('investorId' in chosen) {
    const facts = { prefetchedFacts: noPrefetchedFacts, scopes, actor };
    return { ...signedIn, ...chosen, ...facts, kind: 'investor_contact', protocol: 'desk' };
  }
  return { ...signedIn, ...chosen, kind: 'contact', actor, scopes: companyScopes, source: null };
}
