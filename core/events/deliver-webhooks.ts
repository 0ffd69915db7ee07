import type { Ports } from '../ports.ts';
import { addDays, addMilliseconds } from '../time.ts';
import { afterAttempt, isGone, withheld } from './webhook-delivery.ts';
import { isWanted, signingSecrets, type WebhookEndpoint } from './webhook-endpoint.ts';
import type { DueDelivery, WebhookClaim } from './webhook-ports.ts';
import type { WebhookOutcome } from './webhook-sender.ts';

const maxEventsAtOnce = 100;

/** How many deliveries one endpoint is sent at the same time. */
const sentAtOnce = 4;

/** After so long an endpoint with more to deliver lets others go first. */
const turnMilliseconds = 5_000;

/** Longer than a turn and the last attempt in it may take: after it, the process that has claimed is gone. */
const claimMilliseconds = 25_000;

/** How long deliveries are kept after their end. */
const daysKept = 90;
const forgottenAtOnce = 1000;

/**
 * Writes the deliveries of the next events of the feed.
 *
 * @returns how many events were looked at; 0: there are no more now
 */
export const queueWebhooks =
  ({ webhookDeliveries, clock }: Ports) =>
  (): Promise<number> =>
    webhookDeliveries.queue({ isWanted, now: clock.now(), limit: maxEventsAtOnce });

/** Takes endpoints that have something due; nobody else delivers to them meanwhile. */
export const claimWebhookEndpoints =
  ({ webhookDeliveries, ids, clock }: Ports) =>
  (limit: number): Promise<WebhookClaim[]> => {
    const now = clock.now();
    const until = addMilliseconds(now, claimMilliseconds);
    return webhookDeliveries.claim(ids.next('clm'), now, until, limit);
  };

interface Turn {
  /** Aborted: no further attempt is begun. */
  readonly stopping: AbortSignal;
  /** Aborted: the attempts under way end, as if they had never been. */
  readonly cut: AbortSignal;
  readonly onOutcome: (outcome: WebhookOutcome) => void;
}

/** Delivers what is due to a claimed endpoint, for a while, and gives it back. */
export const deliverWebhooks =
  (ports: Ports) =>
  async (claim: WebhookClaim, { stopping, cut, onOutcome }: Turn): Promise<void> => {
    const { clock, webhookDeliveries, webhookEndpoints } = ports;
    const turnEnds = addMilliseconds(clock.now(), turnMilliseconds);
    do {
      const endpoint = await webhookEndpoints.find(claim.endpointId);
      if (endpoint === null || endpoint.disabledAt !== null) break;
      const due = await webhookDeliveries.due(endpoint.id, clock.now(), sentAtOnce);
      if (due.length === 0) break;
      const outcomes = await Promise.all(due.map((one) => attempt(ports, endpoint, one, cut)));
      outcomes.filter((outcome) => outcome !== null).forEach(onOutcome);
    } while (!stopping.aborted && clock.now() < turnEnds);
    await webhookDeliveries.release(claim);
  };

/** @returns null when nothing was sent, or nothing is known of what was sent */
async function attempt(
  ports: Ports,
  endpoint: WebhookEndpoint,
  { delivery, event }: DueDelivery,
  signal: AbortSignal,
): Promise<WebhookOutcome | null> {
  const { webhookDeliveries: deliveries, webhooks, clock } = ports;
  if (event === null) {
    await deliveries.settle(delivery, withheld(delivery));
    return null;
  }
  const now = clock.now();
  const outcome = await webhooks.sender.send({
    url: endpoint.url,
    id: event.id,
    timestamp: now,
    body: webhooks.write(event, endpoint.owner),
    secrets: signingSecrets(endpoint, now),
    signal,
  });
  if ('failure' in outcome && outcome.failure === 'stopped') return null;
  const after = clock.now();
  await deliveries.settle(delivery, afterAttempt(delivery, outcome, after, webhooks.retrySeconds));
  if (isGone(outcome)) await ports.webhookEndpoints.disable(endpoint.id, 'gone', after);
  return outcome;
}

/** How many deliveries wait for their first or next attempt. */
export const countWaitingWebhooks =
  ({ webhookDeliveries }: Ports) =>
  (): Promise<number> =>
    webhookDeliveries.countPending();

/** @returns how many deliveries were forgotten; 0: there are no more now */
export const forgetOldDeliveries =
  ({ webhookDeliveries, clock }: Ports) =>
  (): Promise<number> =>
    webhookDeliveries.forget(addDays(clock.now(), -daysKept), forgottenAtOnce);
