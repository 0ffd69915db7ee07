import { z } from 'zod';
import { ensure } from '../../model/errors.ts';
import type { SignedIn } from '../../model/identity/caller.ts';
import { isKeyLive } from '../../model/identity/key-state.ts';
import { parseInput } from '../../model/input.ts';
import { type Session, validityOfSession } from '../../model/sign-in/session.ts';
import { addDays } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import { type NamedOwner, requireOwner } from '../identity/organisations.ts';

export interface ListedSession
  extends Pick<Session, 'id' | 'createdAt' | 'lastSeenAt' | 'expiresAt' | 'device' | 'signedInBy'> {
  readonly isCurrent: boolean;
}

/** Returns the working sessions of the caller's address, newest first. */
export const listSessions =
  ({ deskSessions, clock }: Ports) =>
  async ({ email, credentialId }: SignedIn): Promise<ListedSession[]> => {
    const now = clock.now();
    const sessions = await deskSessions.list(email);
    return sessions
      .filter((session) => isKeyLive(validityOfSession(session), now))
      .map(({ email: _email, contactId: _contactId, ...session }) => ({
        ...session,
        isCurrent: session.id === credentialId,
      }));
  };

export type ContactSession = Omit<Session, 'contactId'>;

/**
 * Returns the working sessions of the contacts of a company or an investor. The sessions of the oldest contact come
 * first.
 *
 * @throws AccessError `company_not_found`, and Refusal `investor_not_found`
 */
export const listContactSessions =
  (ports: Ports) =>
  async (named: NamedOwner): Promise<ContactSession[]> => {
    const owner = await requireOwner(ports, named);
    const now = ports.clock.now();
    const contacts = await ports.contacts.list(owner);
    const sessions = await Promise.all(contacts.map(({ email }) => ports.deskSessions.list(email)));
    return sessions.flat().filter((session) => isKeyLive(validityOfSession(session), now));
  };

const endSessionInput = z.strictObject({ id: z.string() });

/**
 * Ends a session at once, in every process. A caller can end sessions of the caller's own address. An operator can end
 * any session. If a caller names a session that doesn't exist, the call succeeds.
 *
 * @throws Refusal `session_not_found` for an operator
 */
export const endSession =
  ({ deskSessions }: Ports) =>
  async (
    signedIn: Pick<SignedIn, 'email' | 'credentialId'> | null,
    input: z.input<typeof endSessionInput>,
  ): Promise<void> => {
    const { id } = parseInput(endSessionInput, input);
    const isEnded = await deskSessions.end(id, signedIn && sessionOf(signedIn));
    ensure(isEnded || signedIn !== null, 'session_not_found', `the session ${id} doesn’t exist`);
  };

export const endOtherSessions =
  ({ deskSessions }: Ports) =>
  async (caller: SignedIn): Promise<void> => {
    const own = sessionOf(caller);
    const others = (await deskSessions.list(own.email)).filter(({ id }) => id !== own.id);
    await Promise.all(others.map(({ id }) => deskSessions.end(id, own)));
  };

export const signOut =
  ({ deskSessions }: Ports) =>
  async (caller: SignedIn): Promise<void> => {
    await deskSessions.end(caller.credentialId, sessionOf(caller));
  };

const sessionOf = ({ credentialId: id, email }: Pick<SignedIn, 'credentialId' | 'email'>) => ({
  id,
  email,
});

/** Sign-in links are removed after this many days. They contain addresses, so the time is short. */
const daysKept = 1;

export const deleteExpiredSignIns =
  ({ signInLinks, deskSessions, clock }: Ports) =>
  async (): Promise<void> => {
    const now = clock.now();
    await signInLinks.deleteOld(addDays(now, -daysKept));
    await deskSessions.deleteExpired(now);
  };

const claimFormInput = z.strictObject({
  /** A random ID, new each time that the page shows the form. */
  id: z.string().regex(/^[0-9A-Za-z-]{16,64}$/),
});

/** Returns true the first time that the session sends the form, so that a reload creates no second secret. */
export const claimForm =
  ({ deskSessions }: Ports) =>
  async ({ credentialId }: SignedIn, input: z.input<typeof claimFormInput>): Promise<boolean> =>
    deskSessions.claimForm(credentialId, parseInput(claimFormInput, input).id);
