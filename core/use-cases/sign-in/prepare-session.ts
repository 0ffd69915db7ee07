import { z } from 'zod';
import { isTimeZone } from '../../model/events/news.ts';
import { mintSecret } from '../../model/identity/secret.ts';
import { sessionMilliseconds, sessionPrefix } from '../../model/sign-in/session.ts';
import type { SignInWay } from '../../model/sign-in/sign-in-way.ts';
import { isStorable } from '../../model/text.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';

const maxDeviceLength = 200;

export const browserInput = z.strictObject({
  /** The secret of the browser's previous session. */
  previousSession: z.string().nullable(),
  device: z.string().max(maxDeviceLength).refine(isStorable).nullable(),
  language: z
    .string()
    .regex(/^[a-z]{2}$/)
    .nullish(),
  /** An invalid time zone is treated as unknown. */
  timeZone: z.string().nullish(),
});

export async function saveLocale(
  { contacts }: Ports,
  email: string,
  { language = null, timeZone = null }: z.output<typeof browserInput>,
): Promise<void> {
  const zone = timeZone !== null && isTimeZone(timeZone) ? timeZone : null;
  if (language !== null || zone !== null)
    await contacts.saveLocale(email, { language, timeZone: zone });
}

export interface OpenedSession {
  readonly session: string;
  readonly expiresAt: Date;
}

/**
 * Prepares a session that replaces the browser's previous one. The secret is always new. Otherwise an attacker could
 * give the browser a secret that the attacker knows.
 */
export function prepareSession(
  { clock, cryptography, ids }: Ports,
  { previousSession, device }: Pick<z.output<typeof browserInput>, 'previousSession' | 'device'>,
  signedInBy: SignInWay,
) {
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
