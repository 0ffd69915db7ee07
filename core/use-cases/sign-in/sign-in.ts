import { z } from 'zod';
import { mintSecret } from '../../model/identity/secret.ts';
import { parseInput } from '../../model/input.ts';
import { sessionMilliseconds, sessionPrefix } from '../../model/sign-in/session.ts';
import { isWellFormedLinkToken } from '../../model/sign-in/sign-in-link.ts';
import { isStorable } from '../../model/text.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';

const maxDeviceLength = 200;

const input = z.strictObject({
  token: z.string(),
  /** The credential of the session that the browser had before, if it had one. */
  previousSession: z.string().nullable(),
  device: z.string().max(maxDeviceLength).refine(isStorable).nullable(),
});

/** What the browser gets, this once. */
export interface OpenedSession {
  readonly session: string;
  readonly expiresAt: Date;
}

/**
 * Opens a session with the token of a link, which is used up. The credential is always a new one, so that nobody can make
 * a browser sign in with one that is known before.
 *
 * @returns null when the link is unknown, was used or has ended, or its address is a contact no more
 * @throws InputError
 */
export const signIn =
  (ports: Ports) =>
  async (given: z.input<typeof input>): Promise<OpenedSession | null> => {
    const { token, previousSession, device } = parseInput(input, given);
    if (!isWellFormedLinkToken(token)) return null;
    const { clock, cryptography, deskSessions, ids } = ports;
    const now = clock.now();
    const { secret, digest } = mintSecret(sessionPrefix, cryptography);
    const expiresAt = addMilliseconds(now, sessionMilliseconds);
    const session = { id: ids.next('ds'), device, createdAt: now, lastSeenAt: now, expiresAt };
    const opened = await deskSessions.open({
      digest: cryptography.sha256(token),
      now,
      newSession: { session, digest },
      previousDigest: previousSession === null ? null : cryptography.sha256(previousSession),
    });
    return opened && { session: secret, expiresAt };
  };
