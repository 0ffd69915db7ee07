import { ensure } from '../errors.ts';
import type { Ports } from '../ports.ts';
import { addDays, addMilliseconds } from '../time.ts';
import { isMailOutdated, type Mail, type MailState, mailKindOf, nextMailAttempt } from './mail.ts';

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

/** Takes mails that are due for an attempt; nobody else gets them while the attempt may last. */
export const claimMails =
  ({ mails, clock }: Ports) =>
  async (limit: number): Promise<Mail[]> => {
    const now = clock.now();
    const claimed = await mails.claim(now, addMilliseconds(now, leaseMilliseconds), limit);
    const current = Map.groupBy(claimed, (mail) => !isMailOutdated(mail, now));
    for (const mail of current.get(false) ?? []) {
      await mails.settle({ ...mail, ...setAside, lastFailure: 'it would have come too late' });
    }
    return current.get(true) ?? [];
  };

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
 * @throws OperatorError `invalid`
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
    ensure(isPossible, 'invalid', `a list has from 1 to ${maxMailCount} mails`);
    const found = await mails.list(state ?? null, limit + 1);
    return { mails: found.slice(0, limit), hasMore: found.length > limit };
  };
