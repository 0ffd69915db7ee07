import {
  changeWebhookInput,
  type DeliveryFailure,
  type DeliveryState,
  type EventType,
  listDeliveriesInput,
  newWebhookInput,
  pageInput,
  replayDeliveryInput,
  type WebhookFailure,
  webhookInput,
} from '#core';
import { presentWebhookDelivery, presentWebhookEndpoint, presentWebhookTest } from '#http';
import { procedure, showInput } from './procedures.ts';

/** A webhook endpoint. */
export interface WebhookEndpoint {
  /** ID of the endpoint, of the form `we_…`. */
  readonly id: string;
  /** The URL that gets the events. */
  readonly url: string;
  /** The delivered event types. If the list is empty, all types are delivered. */
  readonly types: EventType[];
  /** Time of creation, in RFC 3339. */
  readonly createdAt: string;
  /** Time at which the endpoint was disabled, in RFC 3339. Null while it is enabled. */
  readonly disabledAt: string | null;
  /** `gone`: the receiver answered 410. Null while the endpoint is enabled. */
  readonly disabledReason: 'gone' | null;
  /**
   * The number of dropped data events. The service drops events if more than 100 events of one company wait. Read
   * dropped events from the feed.
   */
  readonly droppedDataEvents: number;
}

/** A webhook endpoint with its secret, which is shown only once. */
export interface WebhookEndpointWithSecret extends WebhookEndpoint {
  /** The secret that signs every message. */
  readonly secret: string;
}

/** The delivery of one event to an endpoint. */
export interface WebhookDelivery {
  /** ID of the endpoint. */
  readonly endpointId: string;
  /** The `webhook-id` of the message. */
  readonly eventId: string;
  /** The type of the event. */
  readonly eventType: EventType;
  /** `failed`: the event isn’t sent again until you replay it. */
  readonly state: DeliveryState;
  /** The number of attempts. */
  readonly attempts: number;
  /** Time of the next attempt, in RFC 3339. Null if none exists. */
  readonly nextAttemptAt: string | null;
  /** Time of the last attempt, in RFC 3339. Null before the first one. */
  readonly lastAttemptAt: string | null;
  /** The HTTP status of the last response. Null if none exists. */
  readonly lastStatus: number | null;
  /** The reason why there was no response. Null if there was one. */
  readonly lastFailure: DeliveryFailure | null;
  /** Time of the event, in RFC 3339. */
  readonly createdAt: string;
}

/** The result of a test message. */
export interface WebhookTest {
  /** True if the receiver accepted the message. */
  readonly delivered: boolean;
  /** The HTTP status of the response. Null if none exists. */
  readonly status: number | null;
  /** The reason why there was no response. Null if there was one. */
  readonly failure: WebhookFailure | null;
}

/** A page of a list. Pass `nextCursor` as `cursor` to get the next page. `nextCursor` is null on the last page. */
interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
}

/** Procedures for webhook endpoints. Each of them needs the scope `webhooks:manage`. */
export const webhookEndpointProcedures = {
  /** Returns your endpoints, newest first, at most ten, without secrets. */
  list: procedure
    .input(showInput(pageInput.optional()))
    .query(async ({ ctx: { useCases, caller }, input }): Promise<Page<WebhookEndpoint>> => {
      const { items, nextCursor } = await useCases.listWebhookEndpoints(caller, input);
      return { items: items.map(presentWebhookEndpoint), nextCursor };
    }),

  /** Adds an endpoint, which then gets all later events. The response contains the secret, which is shown only once. */
  create: procedure
    .input(showInput(newWebhookInput))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<WebhookEndpointWithSecret> => {
      const { endpoint, secret } = await useCases.createWebhookEndpoint(caller, input);
      return { ...presentWebhookEndpoint(endpoint), secret };
    }),

  /** Returns one endpoint without its secret. */
  get: procedure
    .input(showInput(webhookInput))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<WebhookEndpoint> =>
        presentWebhookEndpoint(await useCases.readWebhookEndpoint(caller, input)),
    ),

  /** Changes the URL, the event types or both. Omitted fields and the secret stay unchanged. */
  update: procedure
    .input(showInput(changeWebhookInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<WebhookEndpoint> =>
        presentWebhookEndpoint(await useCases.changeWebhookEndpoint(caller, input)),
    ),

  /** Removes an endpoint and stops its deliveries. */
  remove: procedure
    .input(showInput(webhookInput))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<{ readonly id: string }> => {
      await useCases.removeWebhookEndpoint(caller, input);
      return { id: input.id };
    }),

  /** Enables a disabled endpoint again. It then gets all later events. */
  enable: procedure
    .input(showInput(webhookInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<WebhookEndpoint> =>
        presentWebhookEndpoint(await useCases.enableWebhookEndpoint(caller, input)),
    ),

  /**
   * Creates a new secret for an endpoint. The secret is shown only once. For 24 hours, every message is signed with
   * both the old and the new secret.
   */
  rotateSecret: procedure
    .input(showInput(webhookInput))
    .mutation(async ({ ctx: { useCases, caller }, input }): Promise<WebhookEndpointWithSecret> => {
      const { endpoint, secret } = await useCases.rotateWebhookEndpoint(caller, input);
      return { ...presentWebhookEndpoint(endpoint), secret };
    }),

  /** Sends one event of the type `webhook.test` and returns the result. Waits up to 15 seconds. */
  test: procedure
    .input(showInput(webhookInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<WebhookTest> =>
        presentWebhookTest(await useCases.testWebhookEndpoint(caller, input)),
    ),

  /** Sends a delivery again, with a new series of attempts. Returns the delivery's present state. */
  replay: procedure
    .input(showInput(replayDeliveryInput))
    .mutation(
      async ({ ctx: { useCases, caller }, input }): Promise<WebhookDelivery> =>
        presentWebhookDelivery(await useCases.replayWebhook(caller, input)),
    ),

  /** Returns sent and pending deliveries, newest event first. Deliveries are kept for 90 days. */
  deliveries: procedure
    .input(showInput(listDeliveriesInput))
    .query(async ({ ctx: { useCases, caller }, input }): Promise<Page<WebhookDelivery>> => {
      const { items, nextCursor } = await useCases.listWebhookDeliveries(caller, input);
      return { items: items.map(presentWebhookDelivery), nextCursor };
    }),
};
