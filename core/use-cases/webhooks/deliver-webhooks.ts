import { grantableScopes } from '../../model/consent/scopes.ts';
import { afterAttempt, isGone, withholdDelivery } from '../../model/events/webhook-delivery.ts';
import {
  isWanted,
  signingSecrets,
  type WebhookEndpoint,
} from '../../model/events/webhook-endpoint.ts';
import type { WebhookOutcome } from '../../model/events/webhook-outcome.ts';
import { changeOfWebhook, service, settingsChange } from '../../model/identity/settings-change.ts';
import { addDays, addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { AttemptedDelivery, DueDelivery, WebhookClaim } from '../../ports/webhooks.ts';
import { coverDataEvent } from '../feed/cover-data-event.ts';

const maxEventsAtOnce = 100;

/** How many deliveries one endpoint is sent at the same time. */
const sentAtOnce = 4;

/** How many endpoints of one owner are delivered to at the same time: the others wait, those of other owners do not. */
const endpointsOfOneOwner = 3;

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
  (endpoints: number): Promise<WebhookClaim[]> => {
    const now = clock.now();
    const until = addMilliseconds(now, claimMilliseconds);
    const most = { endpoints, ofOneOwner: endpointsOfOneOwner };
    return webhookDeliveries.claim(ids.next('clm'), now, until, most);
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
      const attempts = await Promise.all(due.map((one) => attempt(ports, endpoint, one, cut)));
      const made = attempts.filter((one) => one !== null);
      const gone = made.filter(({ outcome }) => isGone(outcome));
      if (gone.length > 0) {
        const now = clock.now();
        const disabled = { ...endpoint, disabledAt: now, disabledReason: 'gone' as const };
        const changed = changeOfWebhook('disabled', endpoint, disabled);
        const change = settingsChange(ports.ids, now, service, changed);
        await webhookEndpoints.disable(endpoint.id, 'gone', now, gone, change);
      }
      for (const { outcome } of made) onOutcome(outcome);
    } while (!stopping.aborted && clock.now() < turnEnds);
    await webhookDeliveries.release(claim);
  };

interface Attempt extends AttemptedDelivery {
  readonly outcome: WebhookOutcome;
}

/**
 * Keeps what became of it, unless the receiver is gone: that is kept when the endpoint is disabled, after what the
 * other attempts have come to.
 *
 * @returns null when nothing was sent, or nothing is known of what was sent
 */
async function attempt(
  ports: Ports,
  endpoint: WebhookEndpoint,
  { delivery, event: due }: DueDelivery,
  signal: AbortSignal,
): Promise<Attempt | null> {
  const { webhookDeliveries: deliveries, webhooks, clock } = ports;
  // Of data it is told what the owner is granted now, not when the delivery was written.
  const event = due && (await coverDataEvent(ports)(endpoint.owner, grantableScopes, due));
  if (event === null) {
    await deliveries.settle(delivery, withholdDelivery(delivery));
    return null;
  }
  const now = clock.now();
  const outcome = await webhooks.sender.send({
    url: endpoint.url,
    id: event.id,
    timestamp: now,
    body: await webhooks.write(event, endpoint.owner),
    secrets: signingSecrets(endpoint, now),
    signal,
  });
  if ('failure' in outcome && outcome.failure === 'stopped') return null;
  const after = afterAttempt(delivery, outcome, clock.now(), webhooks.retrySeconds);
  if (!isGone(outcome)) await deliveries.settle(delivery, after);
  return { before: delivery, after, outcome };
}

/** @returns how many deliveries were forgotten; 0: there are no more now */
export const forgetOldDeliveries =
  ({ webhookDeliveries, clock }: Ports) =>
  (): Promise<number> =>
    webhookDeliveries.forget(addDays(clock.now(), -daysKept), forgottenAtOnce);
