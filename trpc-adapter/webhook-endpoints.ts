import {
  changeWebhookInput,
  type DeliveryFailure,
  type DeliveryState,
  type EventType,
  listDeliveriesInput,
  newWebhookInput,
  pageInput,
  replayDeliveryInput,
  type WebhookDelivery as WebhookDeliveryOfCore,
  type WebhookEndpoint as WebhookEndpointOfCore,
  type WebhookFailure,
  webhookInput,
} from '#core';
import { procedure, shown } from './procedures.ts';

/** Where events are sent to. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  /** The types of events that are sent; empty: all. */
  readonly types: EventType[];
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339; null while it is enabled. */
  readonly disabledAt: string | null;
  /** `gone`: the receiver has answered 410. */
  readonly disabledReason: 'gone' | null;
  /**
   * The number of data events that were dropped, because more than 100 of one company waited for the endpoint. Read them
   * from the feed.
   */
  readonly droppedDataEvents: number;
}

/** An endpoint at a moment when its secret is shown. */
export interface WebhookEndpointWithSecret extends WebhookEndpoint {
  /** Signs every message. */
  readonly secret: string;
}

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
  readonly endpointId: string;
  /** The `webhook-id` of the message. */
  readonly eventId: string;
  readonly eventType: EventType;
  /** `failed`: not sent again until you call `replay`. */
  readonly state: DeliveryState;
  readonly attempts: number;
  /** RFC 3339, as the other instants. */
  readonly nextAttemptAt: string | null;
  readonly lastAttemptAt: string | null;
  /** What the receiver answered. */
  readonly lastStatus: number | null;
  /** Why there was no answer. */
  readonly lastFailure: DeliveryFailure | null;
  readonly createdAt: string;
}

/** What became of a test message. */
export interface WebhookTest {
  readonly delivered: boolean;
  readonly status: number | null;
  readonly failure: WebhookFailure | null;
}

function presentEndpoint(endpoint: WebhookEndpointOfCore): WebhookEndpoint {
  const { id, url, types, createdAt, disabledAt, disabledReason, droppedDataEvents } = endpoint;
  return {
    id,
    url,
    types: [...types],
    createdAt: createdAt.toISOString(),
    disabledAt: disabledAt?.toISOString() ?? null,
    disabledReason,
    droppedDataEvents,
  };
}

const presentDelivery = (delivery: WebhookDeliveryOfCore): WebhookDelivery => ({
  endpointId: delivery.endpointId,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  state: delivery.state,
  attempts: delivery.attempts,
  nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
  lastStatus: delivery.lastStatus,
  lastFailure: delivery.lastFailure,
  createdAt: delivery.createdAt.toISOString(),
});

/** What one page has; the `nextCursor` is the `cursor` of the next one, and null on the last. */
interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
}

/** All of them need the scope `webhooks:manage`. */
export const webhookEndpointProcedures = {
  /** Your endpoints, newest first, at most ten, never with their secrets. */
  list: procedure
    .input(shown(pageInput.optional()))
    .query(async ({ ctx: { useCases, caller }, input }): Promise<Page<WebhookEndpoint>> => {
      const { items, nextCursor } = await useCases.listWebhookEndpoints(caller, input);
      return { items: items.map(presentEndpoint), nextCursor };
    }),

  /** Adds an endpoint, which is sent what happens from now on. Its secret is shown this once. */
  create: procedure
    .input(shown(newWebhookInput))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<WebhookEndpointWithSecret> => {
      const { endpoint, secret } = await useCases.createWebhookEndpoint(caller, input);
      return { ...presentEndpoint(endpoint), secret };
    }),

  /** One endpoint, never with its secret. */
  get: procedure
    .input(shown(webhookInput))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<WebhookEndpoint> =>
        presentEndpoint(await useCases.readWebhookEndpoint(caller, input)),
    ),

  /** Changes the URL, the types or both. Absent fields and the secret don’t change. */
  update: procedure
    .input(shown(changeWebhookInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<WebhookEndpoint> =>
        presentEndpoint(await useCases.changeWebhookEndpoint(caller, input)),
    ),

  /** Removes an endpoint: nothing is sent to it any more. */
  remove: procedure
    .input(shown(webhookInput))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<{ readonly id: string }> => {
      await useCases.removeWebhookEndpoint(caller, input);
      return { id: input.id };
    }),

  /** Has an endpoint that was disabled sent what happens from now on. */
  enable: procedure
    .input(shown(webhookInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<WebhookEndpoint> =>
        presentEndpoint(await useCases.enableWebhookEndpoint(caller, input)),
    ),

  /** Gives an endpoint a new secret, shown this once. For 24 hours every message is signed with both. */
  rotateSecret: procedure
    .input(shown(webhookInput))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<WebhookEndpointWithSecret> => {
      const { endpoint, secret } = await useCases.rotateWebhookEndpoint(caller, input);
      return { ...presentEndpoint(endpoint), secret };
    }),

  /** Sends an event of the type `webhook.test` once, waits up to 15 seconds, and tells what became of it. */
  test: procedure
    .input(shown(webhookInput))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<WebhookTest> => {
      const { isDelivered, outcome } = await useCases.testWebhookEndpoint(caller, input);
      return {
        delivered: isDelivered,
        status: 'status' in outcome ? outcome.status : null,
        failure: 'failure' in outcome ? outcome.failure : null,
      };
    }),

  /** Sends one delivery again, with all its attempts. Returns its present state. */
  replay: procedure
    .input(shown(replayDeliveryInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<WebhookDelivery> =>
        presentDelivery(await useCases.replayWebhook(caller, input)),
    ),

  /** What was sent and what waits, newest event first. Deliveries are kept for 90 days. */
  deliveries: procedure
    .input(shown(listDeliveriesInput))
    .query(async ({ ctx: { useCases, caller }, input }): Promise<Page<WebhookDelivery>> => {
      const { items, nextCursor } = await useCases.listWebhookDeliveries(caller, input);
      return { items: items.map(presentDelivery), nextCursor };
    }),
};
