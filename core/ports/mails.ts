import type { FeedEvent } from '../model/events/access-event.ts';
import type { Backlog } from '../model/events/backlog.ts';
import type { Mail, MailKind, MailState } from '../model/events/mail.ts';

interface MailPlan {
  /** What is told of an event; null: nothing. */
  readonly kindOf: (event: FeedEvent) => MailKind | null;
  readonly nextId: () => string;
  readonly now: Date;
  /** Events at most. */
  readonly limit: number;
}

interface MailBound {
  readonly count: number;
  readonly milliseconds: number;
}

export interface Mails {
  /**
   * Takes the next events of the feed and writes a mail, due now, for each of them and each contact that its company has.
   * Must do so once for each event, by any number of processes, and lose none when one dies. Answers how many events were
   * taken; while another process is at it, 0.
   */
  queue(plan: MailPlan): Promise<number>;
  /**
   * Counts an attempt of those that are due, the longest due first, and makes them due again at `until`. Any number of
   * callers at the same time must get different ones.
   */
  claim(now: Date, until: Date, limit: number): Promise<Mail[]>;
  /**
   * Which of the mails come after so many others of the same kind, investor and contact that were written in the time
   * before them. Those that were set aside do not count. Processes that ask at once must not let more than so many pass.
   */
  findExcessive(ids: readonly string[], bound: MailBound): Promise<ReadonlySet<string>>;
  /** Must change nothing when the mail was claimed again meanwhile, has been settled, or is gone with its contact. */
  settle(mail: Mail): Promise<void>;
  /** Of mails that are waiting; what is claimed is not due. */
  readBacklog(now: Date): Promise<Backlog>;
  /** Newest first; those in one state, or all. */
  list(state: MailState | null, limit: number): Promise<Mail[]>;
  /** Removes the oldest that were written before the instant, at most `limit` of them. Answers how many. */
  forget(before: Date, limit: number): Promise<number>;
}
