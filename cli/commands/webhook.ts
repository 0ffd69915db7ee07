import { deliveryStates, type MintedWebhook, maxPageSize, type WebhookOutcome } from '#core';
import { presentWebhookDelivery, presentWebhookEndpoint, presentWebhookTest } from '#rest-adapter';
import { command, group } from '../command.ts';
import {
  argument,
  oneOf,
  optional,
  ownerOptionsOf,
  parseCount,
  parseEventTypes,
  required,
  withDefault,
} from '../options.ts';
import type { CommandResult } from '../output.ts';
import { renderFields } from '../table.ts';
import { showAll, view } from '../view.ts';

const endpoints = view({
  json: presentWebhookEndpoint,
  columns: {
    ID: 'id',
    OF: ({ company_id, investor_id }) => company_id ?? investor_id,
    URL: 'url',
    TYPES: ({ types }) => types.join() || 'all',
    CREATED: 'created_at',
    DISABLED: 'disabled_reason',
    DROPPED: 'dropped_data_events',
  },
  none: 'No endpoints yet. Add one: portfolio-access webhook add --help',
});

const deliveries = view({
  json: presentWebhookDelivery,
  columns: {
    EVENT: 'event_id',
    TYPE: 'event_type',
    STATE: 'state',
    ATTEMPTS: 'attempts',
    LAST: ({ last_status, last_failure }) => last_status ?? last_failure,
    NEXT: 'next_attempt_at',
  },
  none: 'Nothing to deliver yet.',
});

const id = argument('<id>', 'id of the endpoint');
const examples = ['we_0198c5c1'];

export const commands = group(
  'webhook',
  'webhook endpoints of companies and investors',
  command('add', 'add an endpoint; its secret is shown only once', {
    examples: [
      '--company co_harbor --url https://example.com/hooks',
      '--investor inv_0198c5c1 --url https://example.com/hooks --types access_request.approved',
    ],
    parameters: {
      ...ownerOptionsOf('with the events of'),
      url: required('--url <url>', 'the https URL that gets the events'),
      types: optional(
        '--types <list>',
        'event types, separated by commas; default: all',
        parseEventTypes,
      ),
    },
    run: async ({ operatorUseCases }, endpoint) =>
      showSecret(await operatorUseCases.addWebhook(endpoint)),
  }),
  command('list', 'list endpoints without their secrets, oldest first', {
    examples: ['', '--company co_harbor --json'],
    parameters: ownerOptionsOf('only endpoints of'),
    run: async ({ operatorUseCases }, filter) =>
      showAll(endpoints, await operatorUseCases.listWebhooks(filter)),
  }),
  command('remove', 'remove an endpoint and stop its deliveries', {
    examples,
    parameters: { id },
    async run({ operatorUseCases }, { id }) {
      await operatorUseCases.removeWebhook({ id });
      return { json: { id, removed: true }, text: `${id} is removed.` };
    },
  }),
  command('enable', 'enable a disabled endpoint', {
    examples,
    parameters: { id },
    run: async ({ operatorUseCases }, { id }) => ({
      json: presentWebhookEndpoint(await operatorUseCases.enableWebhook({ id })),
      text: `${id} gets all events from now on.`,
    }),
  }),
  command('rotate', 'create a new secret; the old one also signs for 24 hours', {
    examples,
    parameters: { id },
    run: async ({ operatorUseCases }, args) =>
      showSecret(await operatorUseCases.rotateWebhook(args)),
  }),
  command('test', 'send an event of the type webhook.test once', {
    examples,
    parameters: { id },
    async run({ operatorUseCases }, args) {
      const tested = await operatorUseCases.testWebhook(args);
      const words = tested.isDelivered ? 'Delivered' : 'Not delivered';
      return { json: presentWebhookTest(tested), text: `${words}: ${describe(tested.outcome)}.` };
    },
  }),
  command('deliveries', 'list sent and waiting deliveries, newest first', {
    examples: ['we_0198c5c1', 'we_0198c5c1 --state failed --limit 200'],
    parameters: {
      id,
      state: oneOf(
        '--state <state>',
        'only deliveries in this state; failed: all attempts have failed',
        deliveryStates,
      ),
      limit: withDefault(
        '--limit <count>',
        `the maximum number of deliveries, up to ${maxPageSize}`,
        parseCount,
        50,
      ),
    },
    async run({ operatorUseCases }, args) {
      const { items, nextCursor } = await operatorUseCases.listDeliveriesOfWebhook(args);
      return showAll(deliveries, items, { hasMore: nextCursor !== null });
    },
  }),
  command('replay', 'send all failed deliveries again, or the delivery of one event', {
    examples: ['we_0198c5c1', 'we_0198c5c1 --event evt_0198c5c1'],
    parameters: {
      id,
      eventId: optional('--event <id>', 'only this event, in any state of delivery'),
    },
    async run({ operatorUseCases }, args) {
      const replayed = await operatorUseCases.replayWebhook(args);
      return {
        json: { id: args.id, replayed },
        text: `${replayed} ${replayed === 1 ? 'delivery' : 'deliveries'} will be sent again.`,
      };
    },
  }),
);

function describe(outcome: WebhookOutcome): string {
  return 'status' in outcome ? `the receiver answered ${outcome.status}` : outcome.failure;
}

function showSecret({ endpoint, secret }: MintedWebhook): CommandResult {
  const { id, url, ...rest } = presentWebhookEndpoint(endpoint);
  return {
    json: { id, url, secret, ...rest },
    text: `${renderFields({ id, url, secret })}\n\nStore the secret now: it will not be shown again.`,
  };
}
