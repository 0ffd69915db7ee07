import { addMilliseconds } from '../time.ts';
import type { EventType } from './event-type.ts';

export const webhookFailures = [
  'address_not_allowed',
  'name_not_found',
  'connection_failed',
  'tls_failed',
  'timeout',
  'invalid_response',
  'stopped',
] as const;

export type WebhookFailure = (typeof webhookFailures)[number];

export type WebhookOutcome =
  | {
      readonly status: number;
      /** From the response header `Retry-After`. Null without this header. */
      readonly retryAfterSeconds: number | null;
    }
  | { readonly failure: WebhookFailure };

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/** A failed delivery is kept, so that it can be listed and sent again. */
export type DeliveryState = (typeof deliveryStates)[number];

/** `withheld` means that the endpoint's owner may no longer see the event. */
export type DeliveryFailure = WebhookFailure | 'withheld';

/** The delivery of one event to one endpoint. An endpoint has at most one delivery per event. */
export interface WebhookDelivery {
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly state: DeliveryState;
  /** The number of attempts since the delivery was created or last replayed. */
  readonly attempts: number;
  /** Null unless the delivery is pending. */
  readonly nextAttemptAt: Date | null;
  readonly lastAttemptAt: Date | null;
  readonly lastStatus: number | null;
  /** Null if the last attempt got a response. */
  readonly lastFailure: DeliveryFailure | null;
  readonly createdAt: Date;
}

/**
 * The maximum number of data events of one company that can wait for one endpoint. If there are more, the oldest event
 * is dropped. The receiver can still read it from the feed, and the newest event contains the latest data version.
 * Events of access requests have no limit.
 */
export const maxWaitingDataEvents = 100;

const minute = 60;
const hour = 3_600;

/** The seconds to wait after each failed attempt. One more attempt follows the last wait. */
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

/** The longest wait that a receiver can ask for. */
const maxRetryAfterSeconds = 24 * hour;

export function isSuccess(outcome: WebhookOutcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status < 300;
}

/** Returns true if the receiver returned 410, which means that the URL is gone. */
export function isGone(outcome: WebhookOutcome): boolean {
  return 'status' in outcome && outcome.status === 410;
}

/**
 * Returns the delivery after an attempt. After a response with status 410, the delivery stays pending. The service then
 * disables the endpoint, so the delivery fails.
 */
export function recordAttempt(
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
  if (planned === undefined) return { ...attempted, state: 'failed', nextAttemptAt: null };
  const retryAfterSeconds = 'status' in outcome ? (outcome.retryAfterSeconds ?? 0) : 0;
  const seconds = Math.max(planned, Math.min(retryAfterSeconds, maxRetryAfterSeconds));
  return { ...attempted, nextAttemptAt: addMilliseconds(now, seconds * 1000) };
}

/** `isFailing` checks this many of the newest sent deliveries. A single failure among them isn't reported. */
const failingDeliveries = 3;

/** Returns true if none of the last three sent deliveries has arrived. Expects the newest delivery first. */
export function isFailing(deliveries: readonly WebhookDelivery[]): boolean {
  const sent = deliveries
    .filter(
      ({ lastAttemptAt, lastFailure }) => lastAttemptAt !== null && lastFailure !== 'withheld',
    )
    .slice(0, failingDeliveries);
  return sent.length > 0 && sent.every(({ state }) => state !== 'delivered');
}

export function withholdDelivery(delivery: WebhookDelivery): WebhookDelivery {
  return { ...delivery, state: 'failed', nextAttemptAt: null, lastFailure: 'withheld' };
}
