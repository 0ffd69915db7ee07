import type { FeedEvent } from '../model/events/access-event.ts';
import type { Backlog } from '../model/events/backlog.ts';
import type { Mail, MailState, NoticeKind } from '../model/events/mail.ts';
import type { NewsKind, PlanNews } from '../model/events/news.ts';
import type { SignInLink } from '../model/sign-in/sign-in-link.ts';
import type { MailReader } from './identity.ts';

/** A process keeps its claimed items until the time `until`. Unfinished items are then due again. */
export interface Lease {
  readonly now: Date;
  readonly until: Date;
  readonly limit: number;
}

/**
 * One attempt to send one mail. The attempt identifies the claim. If another process has taken over the mail, the
 * earlier claim can no longer change the mail.
 */
export interface MailAttempt {
  readonly id: string;
  readonly attempts: number;
}

/** The result of an attempt. For a sign-in link, only the state and the next attempt are stored. */
export type MailOutcome = Pick<Mail, 'nextAttemptAt' | 'lastFailure' | 'sentAt'> & {
  readonly state: MailState;
};

export interface MailQueue<Claimed extends MailAttempt> {
  /** Claims due mails, the longest overdue first, and counts the attempt. Concurrent callers get different mails. */
  claim(lease: Lease): Promise<Claimed[]>;
  /**
   * Returns the mails that exceed a limit. A mail exceeds the limit if there are already `count` similar mails in the
   * `milliseconds` before it. Notices are similar if their kind, investor and contact are the same. Sign-in links are
   * similar if their address is the same. Failed mails aren't counted. Must enforce the limit even if several processes
   * call this method at once.
   */
  findExcessive(
    ids: readonly string[],
    bound: { readonly count: number; readonly milliseconds: number },
  ): Promise<ReadonlySet<string>>;
  /** Must change nothing if the mail was claimed again, settled or removed, or if its sign-in link was used. */
  settle(attempt: MailAttempt, outcome: MailOutcome): Promise<void>;
}

interface MailPlan {
  readonly kindOf: (event: FeedEvent) => NoticeKind | null;
  readonly newsKindOf: (event: FeedEvent) => NewsKind | null;
  /** Must be called only once per person, kind and company, because more calls would be slow. */
  readonly planNews: PlanNews<MailReader>;
  readonly nextId: () => string;
  readonly now: Date;
  readonly limit: number;
}

export interface Mails extends MailQueue<Mail> {
  /**
   * Takes the next events of the feed. For each event, queues a notice for each contact of the company. Each event must
   * be taken exactly once, even with many processes or after a crash. Returns the number of events, or 0 while another
   * process queues mails.
   *
   * Contacts of an investor get one mail for many events. An event is added to the person's waiting mail of the same
   * kind, until a process claims that mail for the first time. A mail of the kind `news` contains only events of one
   * company. Each added event moves the mail's `untilPosition` forward. The mail is due at its earliest planned time,
   * which is also its `createdAt`. Only investors with a live grant get data events.
   */
  queue(plan: MailPlan): Promise<number>;
  /** Claimed mails aren't counted as overdue. Mails that are planned for later aren't counted as waiting. */
  readBacklog(now: Date): Promise<Backlog>;
  /** Lists mails, newest first. Null means any state. */
  list(state: MailState | null, limit: number): Promise<Mail[]>;
  /** Deletes mails from before the time `before`, oldest first. Returns the number of deleted mails. */
  deleteOld(before: Date, limit: number): Promise<number>;
}

export interface ClaimedLink extends Pick<SignInLink, 'id' | 'email' | 'attempts' | 'createdAt'> {
  /** True if the address belongs to a contact now. */
  readonly isOfContact: boolean;
  /** The language of a contact with the address. Null if unknown. */
  readonly language: string | null;
}
