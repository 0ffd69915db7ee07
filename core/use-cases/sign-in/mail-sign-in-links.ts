import { mintSecret } from '../../model/identity/secret.ts';
import {
  linkMilliseconds,
  linkPrefix,
  maxLinkMails,
  nextLinkAttempt,
} from '../../model/sign-in/sign-in-link.ts';
import { addDays, addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedLink } from '../../ports/sign-in.ts';

/** Longer than sending may take: after it, the process that claimed the link is gone. */
const leaseMilliseconds = 120_000;

/** How long it is kept who asked for a link: its address is somebody's. */
const daysKept = 1;

/** A link with the token that its mail carries. The token is known nowhere else. */
export interface SignInMail extends Pick<ClaimedLink, 'id' | 'email' | 'attempts' | 'createdAt'> {
  readonly token: string;
}

const setAside = { state: 'failed', nextAttemptAt: null } as const;

/** Many that are not to be sent are set aside at once, so that they hold up no other; not for ever, so that it ends. */
const roundsAtOnce = 100;

/**
 * Takes links that are due to be mailed, each with a token of its own; nobody else gets them while the mail may be on its
 * way. Those to nobody's address, those of a flood, and those that nobody waits for any more are set aside.
 *
 * @returns none: nothing is to be sent now
 */
export const claimSignInMails =
  (ports: Ports) =>
  async (limit: number): Promise<SignInMail[]> => {
    for (let round = 0; round < roundsAtOnce; round += 1) {
      const now = ports.clock.now();
      const until = addMilliseconds(now, leaseMilliseconds);
      const claimed = await ports.signInLinks.claim({ now, until, limit, bound: maxLinkMails });
      const renewed = await Promise.all(claimed.map((link) => renew(ports, link, now)));
      const mails = renewed.filter((mail) => mail !== null);
      if (mails.length > 0 || claimed.length === 0) return mails;
    }
    return [];
  };

async function renew(
  { cryptography, signInLinks }: Ports,
  { isOfContact, isExcessive, ...link }: ClaimedLink,
  now: Date,
): Promise<SignInMail | null> {
  const isLate = addMilliseconds(link.createdAt, linkMilliseconds) <= now;
  if (!isOfContact || isExcessive || isLate) {
    await signInLinks.settle(link, setAside);
    return null;
  }
  const { secret: token, digest } = mintSecret(linkPrefix, cryptography);
  const expiresAt = addMilliseconds(now, linkMilliseconds);
  return (await signInLinks.renew(link, digest, expiresAt)) ? { ...link, token } : null;
}

export const confirmSignInMail =
  ({ signInLinks }: Ports) =>
  (mail: SignInMail): Promise<void> =>
    signInLinks.settle(mail, { state: 'sent', nextAttemptAt: null });

/** @returns when the mail is tried again, with another token; null: it is set aside */
export const postponeSignInMail =
  ({ signInLinks, clock }: Ports) =>
  async (mail: SignInMail): Promise<Date | null> => {
    const nextAttemptAt = nextLinkAttempt(mail, clock.now());
    const next = nextAttemptAt === null ? setAside : { state: 'waiting' as const, nextAttemptAt };
    await signInLinks.settle(mail, next);
    return nextAttemptAt;
  };

/** Forgets the links of more than a day ago, and the sessions that have ended. */
export const forgetSignIns =
  ({ signInLinks, deskSessions, clock }: Ports) =>
  async (): Promise<void> => {
    const now = clock.now();
    await signInLinks.forget(addDays(now, -daysKept));
    await deskSessions.forget(now);
  };
