import type { Owner } from '../identity/owner.ts';
import { addMilliseconds } from '../time.ts';

const minute = 60_000;

export const linkMinutes = 15;

/** A link expires this long after the creation of its token. A failed mail is retried for the same length of time. */
export const linkMilliseconds = linkMinutes * minute;

/** The maximum number of links that are mailed to one address within a time. Further sign-in requests send no mail. */
export const maxLinkMails = { count: 5, milliseconds: 60 * minute } as const;

/** `handed_out` means that an operator created the link. The other states are the states of the link's mail. */
export type SignInLinkState = 'waiting' | 'sent' | 'failed' | 'handed_out';

export interface SignInLink {
  readonly id: string;
  readonly email: string;
  /** The organisation of the link. Null means every organisation where the address belongs to a contact. */
  readonly owner: Owner | null;
  readonly state: SignInLinkState;
  readonly attempts: number;
  /** Null if no mail is due. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  /** The link is invalid from this time on. Null while the link has no token. */
  readonly expiresAt: Date | null;
}

export const linkPrefix = 'svc_sl_';

const pattern = /^svc_sl_[0-9A-Za-z]{32}$/;

export function isWellFormedLinkToken(token: string): boolean {
  return pattern.test(token);
}

const second = 1_000;
const delays = [5 * second, 15 * second, 30 * second, minute];
const lastDelay = 2 * minute;

/** Returns the time of the next attempt. Null if that is too late, because the person no longer waits for the mail. */
export function nextLinkAttempt(
  { attempts, createdAt }: Pick<SignInLink, 'attempts' | 'createdAt'>,
  now: Date,
): Date | null {
  const next = addMilliseconds(now, delays[attempts - 1] ?? lastDelay);
  return next < addMilliseconds(createdAt, linkMilliseconds) ? next : null;
}
