import { type Mail, type MailState, mailKindOf } from '../../model/events/mail.ts';
import { requireLimit } from '../../model/input.ts';
import { addDays } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';

const maxEventsAtOnce = 100;

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
    requireLimit(limit, maxMailCount, 'mails');
    const found = await mails.list(state ?? null, limit + 1);
    return { mails: found.slice(0, limit), hasMore: found.length > limit };
  };
