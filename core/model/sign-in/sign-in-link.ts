import type { Owner } from '../identity/owner.ts';
import { addMilliseconds } from '../time.ts';

const minute = 60_000;

export const linkMinutes = 15;

/** How long a link works, from when its token is made; and for how long it is tried to mail one that was asked for. */
export const linkMilliseconds = linkMinutes * minute;

/** So many links are mailed to one address within the time; what else is asked for is not sent. */
export const maxLinkMails = { count: 5, milliseconds: 60 * minute } as const;

/** `handed_out`: made by the operator; the others are what has become of a mail. */
export type SignInLinkState = 'waiting' | 'sent' | 'failed' | 'handed_out';

/** A link that signs in whoever gets it, once. */
export interface SignInLink {
  readonly id: string;
  readonly email: string;
  /** The one organisation that it was made for; null: whichever have the address as a contact. */
  readonly owner: Owner | null;
  readonly state: SignInLinkState;
  readonly attempts: number;
  /** Null when no mail is to be sent any more. */
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  /** The first instant at which it no longer works; null while it has no token. */
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

/** When a mail is tried again after so many attempts have failed; null: no more, because nobody waits for it now. */
export function nextLinkAttempt(
  { attempts, createdAt }: Pick<SignInLink, 'attempts' | 'createdAt'>,
  now: Date,
): Date | null {
  const next = addMilliseconds(now, delays[attempts - 1] ?? lastDelay);
  return next < addMilliseconds(createdAt, linkMilliseconds) ? next : null;
}
