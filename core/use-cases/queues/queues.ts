import type { Backlog } from '../../model/events/backlog.ts';
import { type Mail, type MailState, mailKindOf } from '../../model/events/mail.ts';
import { newsKindOf, planNewsAt } from '../../model/events/news.ts';
import { maxWaitingDataEvents } from '../../model/events/webhook-delivery.ts';
import { isWanted } from '../../model/events/webhook-endpoint.ts';
import { requireLimit } from '../../model/input.ts';
import { addDays, addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { Lease } from '../../ports/queues.ts';

// Mails and webhooks are two queues, which are filled from the event feed. A process claims due items and tries to send
// them. Then it stores the result of each item: sent, waiting for the next attempt, or failed. If a process dies, its
// lease expires and another process claims the items. So each item gets at least one attempt.

const eventsAtOnce = 100;

/** Queues mails about the next events of the feed. Returns the number of events, or 0 if no event is left. */
export const queueMails =
  ({ mails, ids, clock }: Ports) =>
  (): Promise<number> => {
    const now = clock.now();
    return mails.queue({
      kindOf: mailKindOf,
      newsKindOf,
      planNews: planNewsAt(now),
      nextId: () => ids.next('ml'),
      now,
      limit: eventsAtOnce,
    });
  };

/** Queues deliveries of the next events of the feed. Returns the number of events, or 0 if no event is left. */
export const queueWebhooks =
  ({ webhookDeliveries, clock }: Ports) =>
  (): Promise<number> =>
    webhookDeliveries.queue({
      isWanted,
      now: clock.now(),
      limit: eventsAtOnce,
      maxWaiting: maxWaitingDataEvents,
    });

/** The maximum number of claims in a row without an item that can be sent. */
const maxRounds = 100;

/**
 * Claims due items. No other process gets them before the lease expires.
 *
 * @param prepare drops or postpones the items that can't be sent, and returns the other items
 * @returns an empty list if nothing can be sent now
 */
export const claimFrom =
  <Claimed, Ready>(
    claim: (ports: Ports, lease: Lease) => Promise<Claimed[]>,
    leaseMilliseconds: number,
    prepare: (ports: Ports, claimed: readonly Claimed[], now: Date) => Promise<Ready[]>,
  ) =>
  (ports: Ports) =>
  async (limit: number): Promise<Ready[]> => {
    for (let round = 0; round < maxRounds; round += 1) {
      const now = ports.clock.now();
      const until = addMilliseconds(now, leaseMilliseconds);
      const claimed = await claim(ports, { now, until, limit });
      const ready = await prepare(ports, claimed, now);
      if (ready.length > 0 || claimed.length === 0) return ready;
    }
    return [];
  };

/** Mails in any state and finished deliveries are deleted after this many days, because they name people and events. */
const daysKept = 90;
const deletedPerStatement = 1_000;

const createDeletion =
  (queueOf: (ports: Ports) => { deleteOld(before: Date, limit: number): Promise<number> }) =>
  (ports: Ports) =>
  (): Promise<number> =>
    queueOf(ports).deleteOld(addDays(ports.clock.now(), -daysKept), deletedPerStatement);

/** Removes some old mails. Returns their number, or 0 if no old mails are left. */
export const deleteOldMails = createDeletion(({ mails }) => mails);

/** Removes some old deliveries, and deliveries of removed endpoints. Returns their number, or 0 if none is left. */
export const deleteOldDeliveries = createDeletion(({ webhookDeliveries }) => webhookDeliveries);

export const readBacklogs =
  ({ webhookDeliveries, mails, clock }: Ports) =>
  async (): Promise<{ readonly webhooks: Backlog; readonly mails: Backlog }> => {
    const now = clock.now();
    const queues = [webhookDeliveries.readBacklog(now), mails.readBacklog(now)] as const;
    const [ofWebhooks, ofMails] = await Promise.all(queues);
    return { webhooks: ofWebhooks, mails: ofMails };
  };

export const defaultMailCount = 100;
const maxMailCount = 10_000;

interface MailFilter {
  readonly state?: MailState | undefined;
  readonly limit?: number | undefined;
}

/** @throws AccessError `invalid_parameter` */
export const listMails =
  ({ mails }: Ports) =>
  async (filter: MailFilter = {}): Promise<{ mails: Mail[]; hasMore: boolean }> => {
    const { state, limit = defaultMailCount } = filter;
    requireLimit(limit, maxMailCount, 'mails');
    const found = await mails.list(state ?? null, limit + 1);
    return { mails: found.slice(0, limit), hasMore: found.length > limit };
  };
