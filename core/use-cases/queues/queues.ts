import type { Backlog } from '../../model/events/backlog.ts';
import { mailKindOf } from '../../model/events/mail.ts';
import { newsKindOf, planNewsAt } from '../../model/events/news.ts';
import { maxWaitingDataEvents } from '../../model/events/webhook-delivery.ts';
import { isWanted } from '../../model/events/webhook-endpoint.ts';
import { addDays, addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { Lease } from '../../ports/queues.ts';

/*
 * Mails and webhooks are queues. Each fills itself from the feed of events. A process claims items that are due, attempts
 * to send them, and settles each: sent, to be tried again at an instant, or given up. If the process dies, its items are
 * due again after their lease. So every item is attempted at least once.
 */

/** Events in one transaction. */
const eventsAtOnce = 100;

/** Queues mails for the next events. @returns the number of events; 0: the queue has all events */
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

/** Queues deliveries of the next events. @returns the number of events; 0: the queue has all events */
export const queueWebhooks =
  ({ webhookDeliveries, clock }: Ports) =>
  (): Promise<number> =>
    webhookDeliveries.queue({
      isWanted,
      now: clock.now(),
      limit: eventsAtOnce,
      maxWaiting: maxWaitingDataEvents,
    });

/** Items that can't be sent are given up many at a time, so that they don't delay others. This limits the rounds. */
const maxRounds = 100;

/**
 * Claims items that are due. No other process gets them before the lease is over.
 *
 * @param prepare returns the claimed items that are to be sent, and settles the others
 * @returns an empty list if there is nothing to send now
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

/** Mails and deliveries are removed after this time in any state, because they name people and events. */
const daysKept = 90;
const forgottenAtOnce = 1_000;

const forgetFrom =
  (queueOf: (ports: Ports) => { forget(before: Date, limit: number): Promise<number> }) =>
  (ports: Ports) =>
  (): Promise<number> =>
    queueOf(ports).forget(addDays(ports.clock.now(), -daysKept), forgottenAtOnce);

/** Removes some old mails. @returns their number; 0: all are removed */
export const forgetOldMails = forgetFrom(({ mails }) => mails);

/** Removes some old deliveries, and those of removed endpoints. @returns their number; 0: all are removed */
export const forgetOldDeliveries = forgetFrom(({ webhookDeliveries }) => webhookDeliveries);

/** Returns the backlogs of both queues. */
export const readBacklogs =
  ({ webhookDeliveries, mails, clock }: Ports) =>
  async (): Promise<{ readonly webhooks: Backlog; readonly mails: Backlog }> => {
    const now = clock.now();
    const [ofWebhooks, ofMails] = await Promise.all([
      webhookDeliveries.readBacklog(now),
      mails.readBacklog(now),
    ]);
    return { webhooks: ofWebhooks, mails: ofMails };
  };
