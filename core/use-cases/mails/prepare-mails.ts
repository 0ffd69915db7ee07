import { asOf } from '../../model/consent/access-request.ts';
import {
  isMailOutdated,
  isStillEnding,
  isUnanswered,
  type Mail,
  maxRequestMails,
} from '../../model/events/mail.ts';
import type { Owner } from '../../model/identity/owner.ts';
import { mintSecret } from '../../model/identity/secret.ts';
import { linkMilliseconds, linkPrefix, maxLinkMails } from '../../model/sign-in/sign-in-link.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { ClaimedLink, MailAttempt, Outbox } from '../../ports/outbox.ts';

/** Sets aside what would come too late, notices of what is not so any more, and those of a flood. */
export async function prepareNotices(
  ports: Ports,
  claimed: readonly Mail[],
  now: Date,
): Promise<Mail[]> {
  const { notices } = ports.outbox;
  const current = await setAside(notices, claimed, (mail) => whyOutdated(ports, mail, now));
  // A request can be made and withdrawn again and again: its mails are bounded, whatever the rate limit of the key is.
  const ids = current.filter(({ kind }) => kind === 'request_received').map(({ id }) => id);
  if (ids.length === 0) return current;
  const excessive = await notices.findExcessive(ids, maxRequestMails);
  const reason = `the investor has asked more than ${maxRequestMails.count} times within an hour`;
  return setAside(notices, current, ({ id }) => (excessive.has(id) ? reason : null));
}

async function whyOutdated(ports: Ports, mail: Mail, now: Date) {
  const { accessRequests } = ports;
  if (isMailOutdated(mail, now)) return 'it would have come too late';
  const owner =
    mail.event === null ? mail.owner : { companyId: mail.event.accessRequest.companyId };
  if (await isSuspended(ports, owner)) return 'whoever it is for is suspended';
  if (mail.event === null || mail.kind === 'grant_ended') return null;
  const found = await accessRequests.find(mail.event.accessRequest.id);
  const request = found && asOf(found, now);
  if (mail.kind === 'grant_ending') {
    return request !== null && isStillEnding(mail.event, request)
      ? null
      : 'the grant has another end by now';
  }
  return request !== null && isUnanswered(mail.event, request)
    ? null
    : 'what it asks for was answered or withdrawn before it was sent';
}

async function isSuspended({ directory }: Ports, owner: Owner): Promise<boolean> {
  const party =
    'companyId' in owner
      ? await directory.findCompany(owner.companyId)
      : await directory.findInvestor(owner.investorId);
  return party !== null && party.suspendedAt !== null;
}

/** A link with the token that its mail carries. The token is known nowhere else. */
export interface SignInMail extends Pick<ClaimedLink, 'id' | 'email' | 'attempts' | 'createdAt'> {
  readonly kind: 'sign_in_link';
  readonly token: string;
}

/** Sets aside links to nobody's address, those of a flood, and those that nobody waits for any more. */
export async function prepareLinks(
  ports: Ports,
  claimed: readonly ClaimedLink[],
  now: Date,
): Promise<SignInMail[]> {
  if (claimed.length === 0) return [];
  const links = ports.outbox.signInLinks;
  const ids = claimed.map(({ id }) => id);
  const excessive = await links.findExcessive(ids, maxLinkMails);
  const wanted = await setAside(links, claimed, ({ id, createdAt, isOfContact }) => {
    const isLate = addMilliseconds(createdAt, linkMilliseconds) <= now;
    return isLate || excessive.has(id) || !isOfContact ? 'nobody is to get it' : null;
  });
  const renewed = await Promise.all(wanted.map((link) => renew(ports, link, now)));
  return renewed.filter((mail) => mail !== null);
}

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

/** @returns those for which there is no reason to set them aside */
async function setAside<Claimed extends MailAttempt>(
  outbox: Outbox<Claimed>,
  claimed: readonly Claimed[],
  reasonOf: (mail: Claimed) => string | null | Promise<string | null>,
): Promise<Claimed[]> {
  const reasons = await Promise.all(claimed.map(reasonOf));
  const others: Claimed[] = [];
  for (const [index, mail] of claimed.entries()) {
    const lastFailure = reasons[index] ?? null;
    if (lastFailure === null) others.push(mail);
    else {
      const outcome = { state: 'failed', nextAttemptAt: null, lastFailure, sentAt: null } as const;
      await outbox.settle(mail, outcome);
    }
  }
  return others;
}
