import { z } from 'zod';
import type { SignedIn } from '../../model/identity/caller.ts';
import { isKeyLive } from '../../model/identity/key-state.ts';
import { parseInput } from '../../model/input.ts';
import { type Session, validityOfSession } from '../../model/sign-in/session.ts';
import { addDays } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';

export interface ListedSession extends Pick<Session, 'id' | 'createdAt' | 'lastSeenAt' | 'device'> {
  /** Whether it is the one that asks. */
  readonly isCurrent: boolean;
}

/** Where the caller's address is signed in, newest first. */
export const listSessions =
  ({ deskSessions, clock }: Ports) =>
  async ({ email, sessionId }: SignedIn): Promise<ListedSession[]> => {
    const now = clock.now();
    const sessions = await deskSessions.list(email);
    return sessions
      .filter((session) => isKeyLive(validityOfSession(session), now))
      .map(({ id, createdAt, lastSeenAt, device }) => ({
        id,
        createdAt,
        lastSeenAt,
        device,
        isCurrent: id === sessionId,
      }));
  };

const endSessionInput = z.strictObject({ id: z.string() });

/**
 * Ends a session of the caller's address at once, on every process; it is done as well when there is none.
 *
 * @throws InputError
 */
export const endSession =
  ({ deskSessions }: Ports) =>
  async ({ email }: SignedIn, input: z.input<typeof endSessionInput>): Promise<void> => {
    const { id } = parseInput(endSessionInput, input);
    await deskSessions.end({ id, email });
  };

/** Ends all sessions of the caller's address but the one that asks. */
export const endOtherSessions =
  ({ deskSessions }: Ports) =>
  async ({ email, sessionId }: SignedIn): Promise<void> => {
    const others = (await deskSessions.list(email)).filter(({ id }) => id !== sessionId);
    await Promise.all(others.map(({ id }) => deskSessions.end({ id, email })));
  };

/** Ends the session that asks. */
export const signOut =
  ({ deskSessions }: Ports) =>
  async ({ email, sessionId }: SignedIn): Promise<void> => {
    await deskSessions.end({ id: sessionId, email });
  };

/** How long it is kept who asked for a link: its address is somebody's. */
const daysKept = 1;

/** Forgets the links of more than a day ago, and the sessions that have ended. */
export const forgetSignIns =
  ({ signInLinks, deskSessions, clock }: Ports) =>
  async (): Promise<void> => {
    const now = clock.now();
    await signInLinks.forget(addDays(now, -daysKept));
    await deskSessions.forget(now);
  };
