import { asOf } from '../../model/consent/access-request.ts';
import { ensure } from '../../model/errors.ts';
import {
  isMailOutdated,
  isStillEnding,
  isUnanswered,
  type Mail,
  type MailState,
  mailKindOf,
  maxRequestMails,
  nextMailAttempt,
} from '../../model/events/mail.ts';
import { addDays, addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';

const maxEventsAtOnce = 100;

/** Longer than sending may take: after it, the process that claimed the mail is gone. */
const leaseMilliseconds = 120_000;

/** How long a mail is kept, whatever became of it: its address is somebody's. */
const daysKept = 90;
const forgottenAtOnce = 1_000;

export const defaultMailCount = 100;
const maxMailCount = 10_000;

/**
 * Writes the mails to the contacts for the next events of the feed, each once, by any number of processes.
 *
 * @returns how many events were looked at; 0: there are no more now
 */
export const queueMails =
  ({ mails, ids, clock }: Ports) =>
  (): Promise<number> =>
    mails.queue({
      kindOf: mailKindOf,
      nextId: () => ids.next('ml'),
      now: clock.now(),
      limit: maxEventsAtOnce,
    });

/** Many mails of a flood are set aside at once, so that they do not hold up those of others; not for ever, so that it ends. */
const roundsAtOnce = 100;

/**
 * Takes mails that are due for an attempt; nobody else gets them while the attempt may last. Those that are not to be sent
 * any more are set aside.
 *
 * @returns none: nothing is to be sent now
 */
export const claimMails =
  (ports: Ports) =>
  async (limit: number): Promise<Mail[]> => {
    for (let round = 0; round < roundsAtOnce; round += 1) {
      const now = ports.clock.now();
      const until = addMilliseconds(now, leaseMilliseconds);
      const claimed = await ports.mails.claim(now, until, limit);
      const current = await setAsideOutdated(ports, claimed, now);
      const allowed = await setAsideExcessive(ports, current);
      if (allowed.length > 0 || claimed.length === 0) return allowed;
    }
    return [];
  };

async function setAsideOutdated(
  ports: Ports,
  claimed: readonly Mail[],
  now: Date,
): Promise<Mail[]> {
  const reasons = await Promise.all(claimed.map((mail) => whyOutdated(ports, mail, now)));
  return setAsideThose(ports, claimed, (_mail, index) => reasons[index] ?? null);
}

async function whyOutdated({ accessRequests }: Ports, mail: Mail, now: Date) {
  if (isMailOutdated(mail, now)) return 'it would have come too late';
  if (mail.kind === 'grant_ended') return null;
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

/** A request can be made and withdrawn again and again: its mails are bounded, whatever the rate limit of the key is. */
async function setAsideExcessive(ports: Ports, mails: readonly Mail[]): Promise<Mail[]> {
  const ids = mails.filter(({ kind }) => kind === 'request_received').map(({ id }) => id);
  if (ids.length === 0) return [...mails];
  const excessive = await ports.mails.findExcessive(ids, maxRequestMails);
  const reason = `the investor has asked more than ${maxRequestMails.count} times within an hour`;
  return setAsideThose(ports, mails, ({ id }) => (excessive.has(id) ? reason : null));
}

/** @returns the others */
async function setAsideThose(
  { mails }: Ports,
  claimed: readonly Mail[],
  reasonOf: (mail: Mail, index: number) => string | null,
): Promise<Mail[]> {
  const others: Mail[] = [];
  for (const [index, mail] of claimed.entries()) {
    const reason = reasonOf(mail, index);
    if (reason === null) others.push(mail);
    else await mails.settle({ ...mail, ...setAside, lastFailure: reason });
  }
  return others;
}

export const confirmMail =
  ({ mails, clock }: Ports) =>
  (mail: Mail): Promise<void> =>
    mails.settle({
      ...mail,
      state: 'sent',
      nextAttemptAt: null,
      lastFailure: null,
      sentAt: clock.now(),
    });

/** @returns when the mail is tried again; null: it is set aside */
export const postponeMail =
  ({ mails, clock }: Ports) =>
  async (mail: Mail, reason: string): Promise<Date | null> => {
    const nextAttemptAt = nextMailAttempt(mail.attempts, clock.now());
    const next = nextAttemptAt === null ? setAside : { nextAttemptAt };
    await mails.settle({ ...mail, ...next, lastFailure: reason });
    return nextAttemptAt;
  };

const setAside = { state: 'failed', nextAttemptAt: null } as const;

/** @returns how many mails were forgotten; 0: there are no more now */
export const forgetOldMails =
  ({ mails, clock }: Ports) =>
  (): Promise<number> =>
    mails.forget(addDays(clock.now(), -daysKept), forgottenAtOnce);

interface MailFilter {
  readonly state?: MailState | undefined;
  readonly limit?: number | undefined;
}

/**
 * Newest first.
 *
 * @throws AccessError `invalid_parameter`
 */
export const listMails =
  ({ mails }: Ports) =>
  async ({
    state,
    limit = defaultMailCount,
  }: MailFilter = {}): Promise<{
    mails: Mail[];
    hasMore: boolean;
  }> => {
    const isPossible = limit >= 1 && limit <= maxMailCount;
    ensure(isPossible, 'invalid_parameter', `a list has from 1 to ${maxMailCount} mails`);
    const found = await mails.list(state ?? null, limit + 1);
    return { mails: found.slice(0, limit), hasMore: found.length > limit };
  };
