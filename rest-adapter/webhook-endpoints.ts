import { z } from 'zod';
import {
  type CompanyCaller,
  changeWebhookInput,
  type InvestorCaller,
  type InvestorUseCases,
  listDeliveriesInput,
  type MintedWebhook,
  newWebhookInput,
} from '#core';
import { type Endpoint, endpoint } from './endpoint.ts';
import { bodyRefusals } from './errors.ts';
import { pageSchema, presentPage } from './list.ts';
import { exampleCursor, withExample } from './schemas.ts';
import {
  presentWebhookDelivery,
  presentWebhookEndpoint,
  presentWebhookTest,
  webhookDeliverySchema,
  webhookEndpointSchema,
  webhookTestSchema,
} from './webhook-resources.ts';

const parametersOf = (id: string) =>
  z.object({ id: z.string().meta({ description: 'ID of a webhook endpoint.', example: id }) });

const mintedSchema = z
  .object({
    ...webhookEndpointSchema.shape,
    secret: z
      .string()
      .meta({ description: 'The secret that signs every message. It is shown once: store it.' }),
  })
  .meta({ id: 'WebhookEndpointWithSecret', description: 'An endpoint and its new secret.' });

const presentMinted = ({ endpoint, secret }: MintedWebhook): z.output<typeof mintedSchema> => ({
  ...presentWebhookEndpoint(endpoint),
  secret,
});

type WebhookExample = z.output<typeof webhookEndpointSchema>;

const deliveryOf = (example: WebhookExample): z.output<typeof webhookDeliverySchema> => ({
  object: 'webhook_delivery',
  endpoint_id: example.id,
  event_id: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  event_type: 'access_request.expiring',
  state: 'pending',
  attempts: 2,
  next_attempt_at: '2026-11-02T09:35:05.000Z',
  last_attempt_at: '2026-11-02T09:30:05.000Z',
  last_status: 503,
  last_failure: null,
  created_at: '2026-11-02T09:30:00.000Z',
});

const { state, limit, cursor } = listDeliveriesInput.shape;
const tag = 'Webhook endpoints';
const notFound = ['webhook_endpoint_not_found'] as const;

type Act = Extract<keyof InvestorUseCases, `${string}Webhook${string}`>;

type InputOf<Call> = Call extends (caller: never, ...input: infer Input) => unknown ? Input : never;

type WebhookUseCases<Caller> = {
  readonly [Name in Act]: (
    caller: Caller,
    ...input: InputOf<InvestorUseCases[Name]>
  ) => ReturnType<InvestorUseCases[Name]>;
};

interface Side<Caller> {
  readonly prefix: string;
  readonly useCases: WebhookUseCases<Caller>;
  readonly example: Omit<
    WebhookExample,
    'object' | 'types' | 'created_at' | 'disabled_at' | 'disabled_reason' | 'dropped_data_events'
  >;
  /** The ID of the endpoint in the example of a removal. */
  readonly oldId: string;
}

export function webhookEndpointEndpoints<Caller extends CompanyCaller | InvestorCaller>({
  prefix,
  useCases,
  example: shown,
  oldId,
}: Side<Caller>): Endpoint<{ readonly caller: Caller }>[] {
  const example: WebhookExample = {
    object: 'webhook_endpoint',
    ...shown,
    types: ['access_request.expiring'],
    created_at: '2026-11-02T09:30:00.000Z',
    disabled_at: null,
    disabled_reason: null,
    dropped_data_events: 0,
  };
  const mintedExample = { ...example, secret: 'whsec_…' };
  const deliveryExample = deliveryOf(example);
  const listUrl = `${prefix}/webhook-endpoints`;
  const parameters = parametersOf(example.id);
  return [
    endpoint({
      method: 'GET',
      path: '/webhook-endpoints',
      id: 'listWebhookEndpoints',
      tag,
      summary: 'List your webhook endpoints',
      description: 'Newest first, at most ten, without secrets.',
      query: z.object({ limit, cursor: withExample(cursor, exampleCursor(example.id)) }),
      responses: {
        200: {
          description: 'A page of the endpoints.',
          schema: pageSchema(webhookEndpointSchema, 'WebhookEndpointPage', 'webhook endpoints'),
          example: presentPage([example], listUrl, null),
        },
      },
      refusals: [],
      async handle({ caller }, input) {
        const { items, nextCursor } = await useCases.listWebhookEndpoints(caller, input);
        const body = presentPage(items.map(presentWebhookEndpoint), listUrl, nextCursor);
        return { status: 200, body };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/webhook-endpoints',
      id: 'createWebhookEndpoint',
      tag,
      summary: 'Add a webhook endpoint',
      description: 'The endpoint gets all later events. Its secret is shown only in this response.',
      body: newWebhookInput.meta({
        id: 'NewWebhookEndpoint',
        example: { url: example.url, types: example.types },
      }),
      responses: {
        201: { description: 'The endpoint.', schema: mintedSchema, example: mintedExample },
      },
      refusals: [...bodyRefusals, 'webhook_endpoint_limit'],
      async handle({ caller }, input) {
        const minted = await useCases.createWebhookEndpoint(caller, input);
        return { status: 201, body: presentMinted(minted) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/webhook-endpoints/{id}',
      id: 'getWebhookEndpoint',
      tag,
      summary: 'Read one webhook endpoint',
      description: 'Returns the endpoint without its secret.',
      parameters,
      responses: {
        200: { description: 'The endpoint.', schema: webhookEndpointSchema, example },
      },
      refusals: notFound,
      async handle({ caller }, input) {
        const endpoint = await useCases.readWebhookEndpoint(caller, input);
        return { status: 200, body: presentWebhookEndpoint(endpoint) };
      },
    }),
    endpoint({
      method: 'PATCH',
      path: '/webhook-endpoints/{id}',
      id: 'updateWebhookEndpoint',
      tag,
      summary: 'Change a webhook endpoint',
      description:
        'Absent fields and the secret don’t change. Waiting deliveries go to the new URL.',
      parameters,
      body: changeWebhookInput.omit({ id: true }).meta({
        id: 'WebhookEndpointChange',
        example: { types: example.types },
      }),
      responses: {
        200: { description: 'The endpoint.', schema: webhookEndpointSchema, example },
      },
      refusals: [...bodyRefusals, ...notFound],
      async handle({ caller }, input) {
        const endpoint = await useCases.changeWebhookEndpoint(caller, input);
        return { status: 200, body: presentWebhookEndpoint(endpoint) };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/webhook-endpoints/{id}',
      id: 'deleteWebhookEndpoint',
      tag,
      summary: 'Remove a webhook endpoint',
      description: 'Stops all deliveries to the endpoint, including retries.',
      parameters: parametersOf(oldId),
      responses: { 204: { description: 'The endpoint was removed.' } },
      refusals: notFound,
      async handle({ caller }, input) {
        await useCases.removeWebhookEndpoint(caller, input);
        return { status: 204, body: undefined };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/webhook-endpoints/{id}/enable',
      id: 'enableWebhookEndpoint',
      tag,
      summary: 'Enable a webhook endpoint',
      description:
        'A disabled endpoint gets all later events. Read the missed events from the feed. An enabled endpoint stays unchanged.',
      parameters,
      responses: {
        200: { description: 'The endpoint.', schema: webhookEndpointSchema, example },
      },
      refusals: notFound,
      async handle({ caller }, input) {
        const endpoint = await useCases.enableWebhookEndpoint(caller, input);
        return { status: 200, body: presentWebhookEndpoint(endpoint) };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/webhook-endpoints/{id}/rotate-secret',
      id: 'rotateWebhookSecret',
      tag,
      summary: 'Rotate the secret',
      description: 'For 24 hours, every message is signed with both secrets.',
      parameters,
      responses: {
        200: { description: 'The endpoint.', schema: mintedSchema, example: mintedExample },
      },
      refusals: [...notFound, 'webhook_endpoint_conflict'],
      async handle({ caller }, input) {
        const minted = await useCases.rotateWebhookEndpoint(caller, input);
        return { status: 200, body: presentMinted(minted) };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/webhook-endpoints/{id}/test',
      id: 'testWebhookEndpoint',
      tag,
      summary: 'Send a test message',
      description:
        'Sends an event of the type `webhook.test` once and returns the outcome. Waits up to 15 seconds.',
      parameters,
      responses: {
        200: {
          description: 'The outcome: delivered or failed.',
          schema: webhookTestSchema,
          example: {
            object: 'webhook_test',
            delivered: false,
            status: null,
            failure: 'name_not_found',
          },
        },
      },
      refusals: notFound,
      async handle({ caller }, input) {
        const test = await useCases.testWebhookEndpoint(caller, input);
        return { status: 200, body: presentWebhookTest(test) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/webhook-endpoints/{id}/deliveries',
      id: 'listWebhookDeliveries',
      tag,
      summary: 'List deliveries',
      description: 'Newest event first. Deliveries are kept for 90 days.',
      parameters,
      query: z.object({
        state,
        limit,
        cursor: withExample(cursor, exampleCursor(deliveryExample.event_id)),
      }),
      responses: {
        200: {
          description: 'A page of the deliveries.',
          schema: pageSchema(webhookDeliverySchema, 'WebhookDeliveryPage', 'deliveries'),
          example: presentPage([deliveryExample], `${listUrl}/${example.id}/deliveries`, null),
        },
      },
      refusals: notFound,
      async handle({ caller }, input) {
        const { items, nextCursor } = await useCases.listWebhookDeliveries(caller, input);
        const url = `${listUrl}/${input.id}/deliveries`;
        return {
          status: 200,
          body: presentPage(items.map(presentWebhookDelivery), url, nextCursor),
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/webhook-endpoints/{id}/deliveries/{event_id}/replay',
      id: 'replayWebhookDelivery',
      tag,
      summary: 'Send a delivery again',
      description:
        'The message has the same id and a new signature. A waiting delivery isn’t replayed.',
      parameters: parameters.extend({
        event_id: z
          .string()
          .meta({ description: 'ID of the event.', example: deliveryExample.event_id }),
      }),
      responses: {
        200: {
          description: 'The delivery.',
          schema: webhookDeliverySchema,
          example: { ...deliveryExample, attempts: 0, last_status: 503 },
        },
      },
      refusals: [...notFound, 'webhook_delivery_not_found', 'webhook_endpoint_disabled'],
      async handle({ caller }, { id, event_id: eventId }) {
        const delivery = await useCases.replayWebhook(caller, { id, eventId });
        return { status: 200, body: presentWebhookDelivery(delivery) };
      },
    }),
  ];
}
