import { type Mail, nextMailAttempt } from '../../model/events/mail.ts';
import { nextLinkAttempt } from '../../model/sign-in/sign-in-link.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { MailAttempt, MailOutcome, Outbox } from '../../ports/outbox.ts';
import { prepareLinks, prepareNotices, type SignInMail } from './prepare-mails.ts';

/** A mail in one of its attempts: a notice or an invitation, or a link to sign in. */
export type QueuedMail = Mail | SignInMail;

/** Longer than sending may take: after it, the process that claimed the mail is gone. */
const leaseMilliseconds = 120_000;

/** Many that are not to be sent are set aside at once, so that they hold up no other; not for ever, so that it ends. */
const roundsAtOnce = 100;

/**
 * Takes mails that are due for an attempt; nobody else gets them while the attempt may last. Those that are not to be
 * sent any more are set aside.
 *
 * @returns none: nothing is to be sent now
 */
const claimFrom =
  <Claimed extends MailAttempt, Ready>(
    outboxOf: (ports: Ports) => Outbox<Claimed>,
    prepare: (ports: Ports, claimed: readonly Claimed[], now: Date) => Promise<Ready[]>,
  ) =>
  (ports: Ports) =>
  async (limit: number): Promise<Ready[]> => {
    for (let round = 0; round < roundsAtOnce; round += 1) {
      const now = ports.clock.now();
      const until = addMilliseconds(now, leaseMilliseconds);
      const claimed = await outboxOf(ports).claim({ now, until, limit });
      const ready = await prepare(ports, claimed, now);
      if (ready.length > 0 || claimed.length === 0) return ready;
    }
    return [];
  };

/** The notices and invitations to contacts. */
export const claimMails = claimFrom(({ outbox }) => outbox.notices, prepareNotices);

/** Links to sign in, each with a token of its own. */
export const claimSignInMails = claimFrom(({ outbox }) => outbox.signInLinks, prepareLinks);

const settle = ({ outbox }: Ports, mail: QueuedMail, outcome: MailOutcome) =>
  (isLink(mail) ? outbox.signInLinks : outbox.notices).settle(mail, outcome);

const isLink = (mail: QueuedMail): mail is SignInMail => mail.kind === 'sign_in_link';

export const confirmMail =
  (ports: Ports) =>
  (mail: QueuedMail): Promise<void> =>
    settle(ports, mail, {
      state: 'sent',
      nextAttemptAt: null,
      lastFailure: null,
      sentAt: ports.clock.now(),
    });

/** @returns when the mail is tried again, a link with another token; null: it is set aside */
export const postponeMail =
  (ports: Ports) =>
  async (mail: QueuedMail, lastFailure: string): Promise<Date | null> => {
    const now = ports.clock.now();
    const nextAttemptAt = isLink(mail)
      ? nextLinkAttempt(mail, now)
      : nextMailAttempt(mail.attempts, now);
    const state = nextAttemptAt === null ? 'failed' : 'waiting';
    await settle(ports, mail, { state, nextAttemptAt, lastFailure, sentAt: null });
    return nextAttemptAt;
  };
