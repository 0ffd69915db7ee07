import type { FeedEvent } from '../model/events/access-event.ts';
import type { Backlog } from '../model/events/backlog.ts';
import type { Mail, MailState, NoticeKind } from '../model/events/mail.ts';
import type { NewsKind, PlanNews } from '../model/events/news.ts';
import type { SignInLink } from '../model/sign-in/sign-in-link.ts';
import type { MailReader } from './identity.ts';

/** The items of a claim are due again at `until` if they aren't settled before. */
export interface Lease {
  readonly now: Date;
  readonly until: Date;
  /** The most items of the claim. */
  readonly limit: number;
}

/** One attempt to send one mail. It identifies a claim: a claim that was taken over changes nothing. */
export interface MailAttempt {
  readonly id: string;
  readonly attempts: number;
}

/** The result of an attempt. A sign-in link keeps only its state and its next attempt. */
export type MailOutcome = Pick<Mail, 'nextAttemptAt' | 'lastFailure' | 'sentAt'> & {
  readonly state: MailState;
};

/** The mails of one kind that wait to be sent. */
export interface MailQueue<Claimed extends MailAttempt> {
  /** Claims mails that are due, longest due first, and counts an attempt of each. Callers must get different mails. */
  claim(lease: Lease): Promise<Claimed[]>;
  /**
   * Returns the mails that come after `count` similar ones within the time before them: notices of the same kind and
   * investor to the same contact, links to the same address. Failed mails don't count. Must not let more through when
   * several processes ask at once.
   */
  findExcessive(
    ids: readonly string[],
    bound: { readonly count: number; readonly milliseconds: number },
  ): Promise<ReadonlySet<string>>;
  /** Must change nothing if the mail was claimed again, settled, used or removed meanwhile. */
  settle(attempt: MailAttempt, outcome: MailOutcome): Promise<void>;
}

interface MailPlan {
  /** Returns the kind of notice for an event; null: no notice. */
  readonly kindOf: (event: FeedEvent) => NoticeKind | null;
  /** Returns what an event is to the people of its investors; null: no news. */
  readonly newsKindOf: (event: FeedEvent) => NewsKind | null;
  /** Must be called once per person, kind and company, because many events can be news to many people. */
  readonly planNews: PlanNews<MailReader>;
  readonly nextId: () => string;
  readonly now: Date;
  /** The most events. */
  readonly limit: number;
}

/** Notices, invitations, warnings and news. */
export interface Mails extends MailQueue<Mail> {
  /**
   * Takes the next events of the feed, and queues a notice for each contact of their companies. Must take each event once,
   * however many processes run, and lose none when one dies. Returns the number of events; 0 while another process runs.
   *
   * The people of the investors of an event get one mail for any number of events: an event joins the person's mail of the
   * same kind, and of the same company if it is `news`, until that mail is claimed for the first time. The mail's window of
   * the feed then ends with the event. The mail is due at the earliest planned instant, which is its `createdAt` too. Data events are queued for
   * investors with a grant that has not ended.
   */
  queue(plan: MailPlan): Promise<number>;
  /** Claimed mails aren't due. Mails that are planned for later don't wait yet. */
  readBacklog(now: Date): Promise<Backlog>;
  /** Newest first; null: in any state. */
  list(state: MailState | null, limit: number): Promise<Mail[]>;
  /** Removes the oldest mails from before the instant, and returns their number. */
  forget(before: Date, limit: number): Promise<number>;
}

/** A sign-in link that is due to be mailed. */
export interface ClaimedLink extends Pick<SignInLink, 'id' | 'email' | 'attempts' | 'createdAt'> {
  /** True if the address is a contact's now. */
  readonly isOfContact: boolean;
  /** The language of a contact with the address, if one is known. */
  readonly language: string | null;
}
