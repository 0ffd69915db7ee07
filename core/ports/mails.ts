import type { FeedEvent } from '../model/events/access-event.ts';
import type { Backlog } from '../model/events/backlog.ts';
import type { Mail, MailState, NoticeKind } from '../model/events/mail.ts';

interface MailPlan {
  /** What is told of an event; null: nothing. */
  readonly kindOf: (event: FeedEvent) => NoticeKind | null;
  readonly nextId: () => string;
  readonly now: Date;
  /** Events at most. */
  readonly limit: number;
}

export interface Mails {
  /**
   * Takes the next events of the feed and writes a mail, due now, for each of them and each contact that its company has.
   * Must do so once for each event, by any number of processes, and lose none when one dies. Answers how many events were
   * taken; while another process is at it, 0.
   */
  queue(plan: MailPlan): Promise<number>;
  /** Of mails that are waiting; what is claimed is not due. */
  readBacklog(now: Date): Promise<Backlog>;
  /** Newest first; those in one state, or all. */
  list(state: MailState | null, limit: number): Promise<Mail[]>;
  /** Removes the oldest that were written before the instant, at most `limit` of them. Answers how many. */
  forget(before: Date, limit: number): Promise<number>;
}
