import { grantableScopes } from '../../model/consent/scopes.ts';
import {
  isGone,
  recordAttempt,
  type WebhookOutcome,
  withholdDelivery,
} from '../../model/events/webhook-delivery.ts';
import { signingSecrets, type WebhookEndpoint } from '../../model/events/webhook-endpoint.ts';
import { changeOfWebhook, service, settingsChange } from '../../model/identity/settings-change.ts';
import { addMilliseconds } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { DueDelivery, WebhookClaim } from '../../ports/webhooks.ts';
import { coverDataEvent } from '../feed/cover-data-event.ts';
import { claimFrom } from './queues.ts';

const sentAtOnce = 4;

/** The maximum of one owner's endpoints with deliveries at the same time. Other owners' endpoints don't wait. */
const endpointsPerOwner = 3;

/** After this time, a process stops delivering to an endpoint, so that other endpoints come first. */
const turnMilliseconds = 5_000;

/** A claim expires after this time. The time is longer than `turnMilliseconds` plus one attempt. */
const leaseMilliseconds = 25_000;

export const claimWebhookEndpoints = claimFrom(
  ({ webhookDeliveries, ids }, lease) =>
    webhookDeliveries.claim({ ...lease, id: ids.next('clm'), perOwner: endpointsPerOwner }),
  leaseMilliseconds,
  async (_ports, claims) => [...claims],
);

interface DeliveryOptions {
  /** When aborted, no further attempt starts. */
  readonly stopSignal: AbortSignal;
  /** When aborted, the running attempts are cancelled and aren't counted. */
  readonly abortSignal: AbortSignal;
  readonly onOutcome: (outcome: WebhookOutcome) => void;
}

export const deliverWebhooks =
  (ports: Ports) =>
  async (
    claim: WebhookClaim,
    { stopSignal, abortSignal, onOutcome }: DeliveryOptions,
  ): Promise<void> => {
    const { clock, webhookDeliveries, webhookEndpoints } = ports;
    const turnEnds = addMilliseconds(clock.now(), turnMilliseconds);
    do {
      const endpoint = await webhookEndpoints.find(claim.endpointId);
      if (endpoint === null || endpoint.disabledAt !== null) break;
      const due = await webhookDeliveries.listDue(endpoint.id, clock.now(), sentAtOnce);
      if (due.length === 0) break;
      const attempts = await Promise.all(
        due.map((one) => attemptDelivery(ports, endpoint, one, abortSignal)),
      );
      const outcomes = attempts.filter((outcome) => outcome !== null);
      if (outcomes.some(isGone)) await disable(ports, endpoint);
      outcomes.forEach(onOutcome);
    } while (!stopSignal.aborted && clock.now() < turnEnds);
    await webhookDeliveries.release(claim);
  };

async function disable(
  { ids, clock, webhookEndpoints }: Ports,
  endpoint: WebhookEndpoint,
): Promise<void> {
  const now = clock.now();
  const disabled = { ...endpoint, disabledAt: now, disabledReason: 'gone' as const };
  const change = settingsChange(ids, now, service, changeOfWebhook('disabled', endpoint, disabled));
  await webhookEndpoints.disable(endpoint.id, 'gone', now, change);
}

/** Returns null if nothing was sent or the attempt was stopped. */
async function attemptDelivery(
  ports: Ports,
  endpoint: WebhookEndpoint,
  { delivery, event: due }: DueDelivery,
  signal: AbortSignal,
): Promise<WebhookOutcome | null> {
  const { webhookDeliveries: deliveries, webhooks, clock } = ports;
  // The grants are checked now, because they may have changed since the delivery was queued.
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
  const after = recordAttempt(delivery, outcome, clock.now(), webhooks.retrySeconds);
  await deliveries.settle(delivery, after);
  return outcome;
}
