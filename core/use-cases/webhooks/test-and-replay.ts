import { z } from 'zod';
import { type Page, readCursor, toPage } from '../../model/cursor.ts';
import { ensure } from '../../model/errors.ts';
import {
  deliveryStates,
  isSuccess,
  type WebhookDelivery,
  type WebhookOutcome,
} from '../../model/events/webhook-delivery.ts';
import { signingSecrets } from '../../model/events/webhook-endpoint.ts';
import { credentialBehind, type Permitted } from '../../model/identity/acting-credential.ts';
import type { Owner, OwnerOrOperator } from '../../model/identity/owner.ts';
import { pageInput, parseInput } from '../../model/input.ts';
import { isStorable } from '../../model/text.ts';
import type { Ports } from '../../ports/index.ts';
import { readWebhookEndpoint, type WebhookInput } from './manage-webhooks.ts';

/** The owner of the webhook endpoint. Null for an operator. */
type EndpointOwner = (Owner & Permitted) | null;

export interface WebhookTest {
  readonly isDelivered: boolean;
  readonly outcome: WebhookOutcome;
}

/**
 * Sends an event of the type `webhook.test` to the endpoint.
 *
 * @throws AccessError `webhook_endpoint_not_found`. The functions below throw the same error.
 */
export const testWebhookEndpoint =
  (ports: Ports) =>
  async (owner: EndpointOwner, input: WebhookInput): Promise<WebhookTest> => {
    const endpoint = await readWebhookEndpoint(ports)(owner, input);
    await ports.actingCredentials.check(credentialBehind(owner));
    const timestamp = ports.clock.now();
    const body = JSON.stringify({
      type: 'webhook.test',
      timestamp: timestamp.toISOString(),
      data: {},
    });
    const outcome = await ports.webhooks.sender.send({
      url: endpoint.url,
      id: ports.ids.next('evt'),
      timestamp,
      body,
      secrets: signingSecrets(endpoint, timestamp),
    });
    return { isDelivered: isSuccess(outcome), outcome };
  };

export const listDeliveriesInput = pageInput.extend({
  id: z.string(),
  state: z.enum(deliveryStates).nullish().meta({
    description: 'Only deliveries in this state. `failed` deliveries aren’t retried.',
    example: 'failed',
  }),
});

/** Returns a page of the deliveries, newest first. */
export const listWebhookDeliveries =
  (ports: Ports) =>
  async (
    owner: OwnerOrOperator,
    input: z.input<typeof listDeliveriesInput>,
  ): Promise<Page<WebhookDelivery>> => {
    const { id, state, limit, cursor } = parseInput(listDeliveriesInput, input);
    const endpoint = await readWebhookEndpoint(ports)(owner, { id });
    const found = await ports.webhookDeliveries.list({
      endpointId: endpoint.id,
      state: state ?? null,
      before: readCursor(cursor),
      limit: limit + 1,
    });
    return toPage(found, limit, ({ createdAt, eventId }) => ({ instant: createdAt, id: eventId }));
  };

const replayInput = z.strictObject({
  id: z.string(),
  /** The event to send again. If it is absent, all failed deliveries are sent again. */
  eventId: z.string().refine(isStorable).optional(),
});

export type Replay = z.input<typeof replayInput>;

/**
 * Makes deliveries due again. Returns the number of these deliveries.
 *
 * @throws AccessError `webhook_endpoint_not_found`, `webhook_endpoint_disabled`, `webhook_delivery_not_found`
 */
export const replayWebhook =
  (ports: Ports) =>
  async (owner: EndpointOwner, input: Replay): Promise<number> => {
    const { id, eventId } = parseInput(replayInput, input);
    const { disabledAt } = await readWebhookEndpoint(ports)(owner, { id });
    ensure(
      disabledAt === null,
      'webhook_endpoint_disabled',
      `The webhook endpoint ${id} is disabled.`,
    );
    const count = await ports.webhookDeliveries.replay(
      credentialBehind(owner),
      id,
      eventId ?? null,
      ports.clock.now(),
    );
    ensure(
      eventId === undefined || count > 0,
      'webhook_delivery_not_found',
      `No delivery of ${eventId} to ${id} can be sent again.`,
    );
    return count;
  };

export const replayDeliveryInput = replayInput.required();

/** Makes one delivery due again. Throws the errors of `replayWebhook`. */
export const replayDelivery =
  (ports: Ports) =>
  async (owner: EndpointOwner, input: Required<Replay>): Promise<WebhookDelivery> => {
    const { id, eventId } = parseInput(replayDeliveryInput, input);
    await replayWebhook(ports)(owner, { id, eventId });
    const delivery = await ports.webhookDeliveries.find(id, eventId);
    ensure(delivery !== null, 'webhook_delivery_not_found');
    return delivery;
  };
