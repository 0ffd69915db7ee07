import { asOf } from '../../model/consent/access-request.ts';
import { isStillEnding } from '../../model/events/access-event.ts';
import {
  isMailOutdated,
  isNewsMail,
  isUnanswered,
  type Mail,
  maxRequestMails,
  type NewsMail,
  nextMailAttempt,
  type WrittenNews,
} from '../../model/events/mail.ts';
import type { Owner } from '../../model/identity/owner.ts';
import { mintSecret } from '../../model/identity/secret.ts';
import {
  linkMilliseconds,
  linkPrefix,
  maxLinkMails,
  nextLinkAttempt,
} from '../../model/sign-in/sign-in-link.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedLink, MailAttempt, MailOutcome, MailQueue } from '../../ports/queues.ts';
import { claimFrom } from './queues.ts';
import { readNews } from './read-news.ts';

/** A mail with a sign-in link. The link contains the token, which is never stored. */
export interface SignInMail
  extends Pick<ClaimedLink, 'id' | 'email' | 'attempts' | 'createdAt' | 'language'> {
  readonly kind: 'sign_in_link';
  readonly token: string;
}

export type WrittenMail = Exclude<Mail, NewsMail> | WrittenNews;

export type QueuedMail = WrittenMail | SignInMail;

/** A claim expires after this time, which is longer than any attempt to send a mail. */
const leaseMilliseconds = 120_000;

/** Claims all due mails except sign-in links. Drops mails that are outdated, empty or above the limit. */
export const claimMails = claimFrom(
  ({ mails }, lease) => mails.claim(lease),
  leaseMilliseconds,
  async (ports, claimed, now): Promise<WrittenMail[]> => {
    const { mails } = ports;
    const ready = await dropMails(mails, claimed, (mail) => findOutdatedReason(ports, mail, now));
    const written = await Promise.all(ready.map((mail) => writeNews(ports, mail, now)));
    const readable = written.filter((mail) => mail !== null);
    const current = await dropMails(mails, readable, (mail) =>
      'news' in mail && mail.news.length === 0 ? 'there is no news to send' : null,
    );
    // Mails about new access requests have a limit, because an investor can create and withdraw requests repeatedly.
    const ids = current.filter(({ kind }) => kind === 'request_received').map(({ id }) => id);
    if (ids.length === 0) return current;
    const excessive = await mails.findExcessive(ids, maxRequestMails);
    const reason = `the investor has asked more than ${maxRequestMails.count} times within an hour`;
    return dropMails(mails, current, ({ id }) => (excessive.has(id) ? reason : null));
  },
);

/** If the news can't be read, postpones the mail and returns null, so that other mails don't wait. */
async function writeNews(ports: Ports, mail: Mail, now: Date): Promise<WrittenMail | null> {
  if (!isNewsMail(mail)) return mail;
  try {
    return { ...mail, news: await readNews(ports)(mail, now) };
  } catch (error) {
    await postponeMail(ports)(mail, `its news could not be read: ${(error as Error).message}`);
    return null;
  }
}

async function findOutdatedReason(ports: Ports, mail: Mail, now: Date): Promise<string | null> {
  const { accessRequests } = ports;
  if (isMailOutdated(mail, now)) return 'the mail is too late';
  const owner =
    mail.event === null ? mail.owner : { companyId: mail.event.accessRequest.companyId };
  if (await isSuspended(ports, owner)) return 'its company or investor is suspended';
  if (mail.event === null || mail.kind === 'grant_ended') return null;
  const found = await accessRequests.find(mail.event.accessRequest.id);
  const request = found && asOf(found, now);
  if (mail.kind === 'grant_ending' || mail.kind === 'review_due') {
    return request !== null && isStillEnding(mail.event, request)
      ? null
      : 'the end of the grant has changed';
  }
  return request !== null && isUnanswered(mail.event, request)
    ? null
    : 'the request was answered or withdrawn before the mail was sent';
}

async function isSuspended({ directory }: Ports, owner: Owner): Promise<boolean> {
  const party =
    'companyId' in owner
      ? await directory.findCompany(owner.companyId)
      : await directory.findInvestor(owner.investorId);
  return party !== null && party.suspendedAt !== null;
}

/** Gives each due link a new token. Drops links that are expired, above the limit, or to unknown addresses. */
export const claimSignInMails = claimFrom(
  ({ signInLinks }, lease) => signInLinks.claim(lease),
  leaseMilliseconds,
  async (ports, claimed, now): Promise<SignInMail[]> => {
    if (claimed.length === 0) return [];
    const { signInLinks } = ports;
    const ids = claimed.map(({ id }) => id);
    const excessive = await signInLinks.findExcessive(ids, maxLinkMails);
    const remaining = await dropMails(signInLinks, claimed, ({ id, createdAt, isOfContact }) => {
      const isLate = addMilliseconds(createdAt, linkMilliseconds) <= now;
      return isLate || excessive.has(id) || !isOfContact
        ? 'the link is expired, above the limit, or for an unknown address'
        : null;
    });
    const renewed = await Promise.all(remaining.map((link) => renew(ports, link, now)));
    return renewed.filter((mail) => mail !== null);
  },
);

async function renew(
  { cryptography, signInLinks }: Ports,
  { isOfContact: _isOfContact, ...link }: ClaimedLink,
  now: Date,
): Promise<SignInMail | null> {
  const { secret: token, digest } = mintSecret(linkPrefix, cryptography);
  const expiresAt = addMilliseconds(now, linkMilliseconds);
  const isRenewed = await signInLinks.renew(link, digest, expiresAt);
  return isRenewed ? { ...link, kind: 'sign_in_link', token } : null;
}

/** Drops each mail for which `reasonOf` returns a reason. Returns the other mails. */
async function dropMails<Claimed extends MailAttempt>(
  queue: Pick<MailQueue<MailAttempt>, 'settle'>,
  claimed: readonly Claimed[],
  reasonOf: (mail: Claimed) => string | null | Promise<string | null>,
): Promise<Claimed[]> {
  const reasons = await Promise.all(claimed.map(reasonOf));
  const others: Claimed[] = [];
  for (const [index, mail] of claimed.entries()) {
    const lastFailure = reasons[index] ?? null;
    if (lastFailure === null) others.push(mail);
    else await queue.settle(mail, createFailure(null, lastFailure));
  }
  return others;
}

export const confirmMail =
  (ports: Ports) =>
  (mail: QueuedMail): Promise<void> =>
    settle(ports, mail, {
      state: 'sent',
      nextAttemptAt: null,
      lastFailure: null,
      sentAt: ports.clock.now(),
    });

/** @returns the time of the next attempt, or null if the mail is dropped. A link then gets a new token */
export const postponeMail =
  (ports: Ports) =>
  async (mail: Mail | SignInMail, lastFailure: string): Promise<Date | null> => {
    const now = ports.clock.now();
    const nextAttemptAt = isLink(mail)
      ? nextLinkAttempt(mail, now)
      : nextMailAttempt(mail.attempts, now);
    await settle(ports, mail, createFailure(nextAttemptAt, lastFailure));
    return nextAttemptAt;
  };

const settle = ({ mails, signInLinks }: Ports, mail: Mail | SignInMail, outcome: MailOutcome) =>
  (isLink(mail) ? signInLinks : mails).settle(mail, outcome);

const isLink = (mail: Mail | SignInMail): mail is SignInMail => mail.kind === 'sign_in_link';

const createFailure = (nextAttemptAt: Date | null, lastFailure: string): MailOutcome => ({
  state: nextAttemptAt === null ? 'failed' : 'waiting',
  nextAttemptAt,
  lastFailure,
  sentAt: null,
});
