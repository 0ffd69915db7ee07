import { addMilliseconds } from '../time.ts';
import type { EventType } from './event-type.ts';
import type { WebhookFailure, WebhookOutcome } from './webhook-outcome.ts';

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/** A delivery that has failed is set aside: it can be listed, and sent again. */
export type DeliveryState = (typeof deliveryStates)[number];

/** `withheld`: the investor who was to be told may not be told any more: no portfolio, or no grant, has what it is about. */
export type DeliveryFailure = WebhookFailure | 'withheld';

/** One event on its way to one endpoint. There is never a second one for the two. */
export interface WebhookDelivery {
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly state: DeliveryState;
  /** Counted from the creation, or from when it was last sent again by hand. */
  readonly attempts: number;
  /** Null unless it is pending. */
  readonly nextAttemptAt: Date | null;
  readonly lastAttemptAt: Date | null;
  /** The HTTP status that the last attempt was answered with. */
  readonly lastStatus: number | null;
  /** Why the last attempt was not answered. */
  readonly lastFailure: DeliveryFailure | null;
  readonly createdAt: Date;
}

const minute = 60;
const hour = 3_600;

/** Seconds from each failed attempt to the next one; after the last of them a delivery is set aside. */
export const webhookRetrySeconds: readonly number[] = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** A receiver may ask to be left alone for so long, not longer. */
const maxRetryAfterSeconds = 24 * hour;

export function isSuccess(outcome: WebhookOutcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status < 300;
}

/** The receiver says that there is nothing at this URL any more, and never will be. */
export function isGone(outcome: WebhookOutcome): boolean {
  return 'status' in outcome && outcome.status === 410;
}

/** The delivery after an attempt. */
export function afterAttempt(
  delivery: WebhookDelivery,
  outcome: WebhookOutcome,
  now: Date,
  retrySeconds: readonly number[],
): WebhookDelivery {
  const attempted: WebhookDelivery = {
    ...delivery,
    attempts: delivery.attempts + 1,
    lastAttemptAt: now,
    lastStatus: 'status' in outcome ? outcome.status : null,
    lastFailure: 'failure' in outcome ? outcome.failure : null,
  };
  if (isSuccess(outcome)) return { ...attempted, state: 'delivered', nextAttemptAt: null };
  const planned = retrySeconds[delivery.attempts];
  if (planned === undefined || isGone(outcome)) {
    return { ...attempted, state: 'failed', nextAttemptAt: null };
  }
  const asked = 'status' in outcome ? (outcome.retryAfterSeconds ?? 0) : 0;
  const seconds = Math.max(planned, Math.min(asked, maxRetryAfterSeconds));
  return { ...attempted, nextAttemptAt: addMilliseconds(now, seconds * 1000) };
}

/** A receiver that is away for a moment loses fewer. */
const failingDeliveries = 3;

/** Whether nothing arrives: of an endpoint's deliveries, the newest first, none of the last that were sent has arrived. */
export function isFailing(deliveries: readonly WebhookDelivery[]): boolean {
  const sent = deliveries
    .filter(
      ({ lastAttemptAt, lastFailure }) => lastAttemptAt !== null && lastFailure !== 'withheld',
    )
    .slice(0, failingDeliveries);
  return sent.length > 0 && sent.every(({ state }) => state !== 'delivered');
}

/** The delivery of something that the endpoint's owner may not see any more. */
export function withholdDelivery(delivery: WebhookDelivery): WebhookDelivery {
  return { ...delivery, state: 'failed', nextAttemptAt: null, lastFailure: 'withheld' };
}
