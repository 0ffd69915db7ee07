import { z } from 'zod';
import { mintSecret } from '../../model/identity/secret.ts';
import { sessionMilliseconds, sessionPrefix } from '../../model/sign-in/session.ts';
import type { SignInWay } from '../../model/sign-in/sign-in-way.ts';
import { isStorable } from '../../model/text.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { NewSession } from '../../ports/sign-in.ts';

const maxDeviceLength = 200;

/** In which browser somebody signs in. */
export const browserInput = z.strictObject({
  /** The credential of the session that the browser had before, if it had one. */
  previousSession: z.string().nullable(),
  device: z.string().max(maxDeviceLength).refine(isStorable).nullable(),
});

/** What the browser gets, this once. */
export interface OpenedSession {
  readonly session: string;
  readonly expiresAt: Date;
}

interface PreparedSession {
  readonly opened: OpenedSession;
  readonly opening: { readonly newSession: NewSession; readonly previousDigest: string | null };
}

/**
 * A session to be opened in the place of the one before. The credential is always a new one, so that nobody can make a
 * browser sign in with one that is known before.
 */
export function prepareSession(
  { clock, cryptography, ids }: Ports,
  { previousSession, device }: z.output<typeof browserInput>,
  signedInBy: SignInWay,
): PreparedSession {
  const now = clock.now();
  const { secret, digest } = mintSecret(sessionPrefix, cryptography);
  const expiresAt = addMilliseconds(now, sessionMilliseconds);
  const times = { createdAt: now, lastSeenAt: now, expiresAt };
  const session = { id: ids.next('ds'), device, signedInBy, ...times };
  return {
    opened: { session: secret, expiresAt },
    opening: {
      newSession: { session, digest },
      previousDigest: previousSession === null ? null : cryptography.sha256(previousSession),
    },
  };
}
