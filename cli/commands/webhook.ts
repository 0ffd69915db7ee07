import { type Command, Option } from 'commander';
import {
  type AccessEventType,
  type DeliveryState,
  deliveryStates,
  type MintedWebhook,
  maxPageSize,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookOutcome,
} from '#core';
import { presentWebhookDelivery, presentWebhookEndpoint, presentWebhookTest } from '#rest-adapter';
import type { CliContext } from '../context.ts';
import { addCommand, parseCount, parseEventTypes } from '../options.ts';
import { action, type CommandResult, toList } from '../output.ts';
import { type Column, renderFields, renderTable } from '../table.ts';

const columns: readonly Column<WebhookEndpoint>[] = [
  ['ID', ({ id }) => id],
  ['OF', ({ owner }) => ('companyId' in owner ? owner.companyId : owner.investorId)],
  ['URL', ({ url }) => url],
  ['TYPES', ({ types }) => (types.length === 0 ? 'all' : types.join(','))],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['DISABLED', ({ disabledReason }) => disabledReason],
];

const deliveryColumns: readonly Column<WebhookDelivery>[] = [
  ['EVENT', ({ eventId }) => eventId],
  ['TYPE', ({ eventType }) => eventType],
  ['STATE', ({ state }) => state],
  ['ATTEMPTS', ({ attempts }) => attempts.toString()],
  ['LAST', ({ lastStatus, lastFailure }) => lastStatus?.toString() ?? lastFailure],
  ['NEXT', ({ nextAttemptAt }) => nextAttemptAt?.toISOString() ?? null],
];

interface OwnerOptions {
  readonly company?: string;
  readonly investor?: string;
}

const ownerOf = ({ company, investor }: OwnerOptions) => ({
  companyId: company,
  investorId: investor,
});

const withOwner = (command: Command, verb: string) =>
  command
    .addOption(new Option('--company <id>', `${verb} this company`).conflicts('investor'))
    .addOption(new Option('--investor <id>', `${verb} this investor`));

export function addWebhookCommands(program: Command, context: CliContext): void {
  const group = program
    .command('webhook')
    .description('endpoints of companies and investors to which events are delivered');

  withOwner(
    addCommand(group, 'add', 'add an endpoint; its secret is shown this once', [
      '--company co_harbor --url https://example.com/hooks',
      '--investor inv_0198c5c1 --url https://example.com/hooks --types access_request.approved',
    ]),
    'with the events of',
  )
    .requiredOption('--url <url>', 'where events are sent; https only')
    .option(
      '--types <list>',
      'types of events, separated by commas; all when absent',
      parseEventTypes,
    )
    .action(
      action(context, async ({ operatorUseCases }, options: NewWebhookOptions) =>
        showSecret(
          await operatorUseCases.addWebhook({
            ...ownerOf(options),
            url: options.url,
            types: options.types,
          }),
        ),
      ),
    );

  withOwner(
    addCommand(group, 'list', 'list endpoints, oldest first; never their secrets', [
      '',
      '--company co_harbor --json',
    ]),
    'only those of',
  ).action(
    action(context, async ({ operatorUseCases }, options: OwnerOptions) => {
      const endpoints = await operatorUseCases.listWebhooks(ownerOf(options));
      const whenEmpty = 'No endpoints yet. Add one: portfolio-access webhook add --help';
      return {
        json: toList(endpoints.map(presentWebhookEndpoint)),
        text: renderTable(columns, endpoints, whenEmpty),
      };
    }),
  );

  addCommand(group, 'remove', 'end an endpoint and its deliveries, for good', ['we_0198c5c1'])
    .argument('<id>', 'id of the endpoint')
    .action(
      action(context, async ({ operatorUseCases }, id: string) => {
        await operatorUseCases.removeWebhook({ id });
        return { json: { id, removed: true }, text: `${id} is removed.` };
      }),
    );

  addCommand(group, 'enable', 'send to an endpoint again that was disabled', ['we_0198c5c1'])
    .argument('<id>', 'id of the endpoint')
    .action(
      action(context, async ({ operatorUseCases }, id: string) => {
        const endpoint = await operatorUseCases.enableWebhook({ id });
        return {
          json: presentWebhookEndpoint(endpoint),
          text: `${id} is sent what happens from now on.`,
        };
      }),
    );

  addCommand(group, 'rotate', 'give a new secret; the old one goes on signing for 24 hours', [
    'we_0198c5c1',
  ])
    .argument('<id>', 'id of the endpoint')
    .action(
      action(context, async ({ operatorUseCases }, id: string) =>
        showSecret(await operatorUseCases.rotateWebhook({ id })),
      ),
    );

  addCommand(group, 'test', 'send an event of the type webhook.test once', ['we_0198c5c1'])
    .argument('<id>', 'id of the endpoint')
    .action(
      action(context, async ({ operatorUseCases }, id: string) => {
        const { isDelivered, outcome } = await operatorUseCases.testWebhook({ id });
        const answer = describe(outcome);
        return {
          json: presentWebhookTest({ isDelivered, outcome }),
          text: `${isDelivered ? 'Delivered' : 'Not delivered'}: ${answer}.`,
        };
      }),
    );

  addCommand(group, 'deliveries', 'list what was and is to be delivered, newest first', [
    'we_0198c5c1',
    'we_0198c5c1 --state failed --limit 200',
  ])
    .argument('<id>', 'id of the endpoint')
    .addOption(
      new Option('--state <state>', 'only those in this state; failed: set aside').choices(
        deliveryStates,
      ),
    )
    .option('--limit <count>', `how many at most, up to ${maxPageSize}`, parseCount, 50)
    .action(
      action(
        context,
        async ({ operatorUseCases }, id: string, { state, limit }: DeliveryOptions) => {
          const page = await operatorUseCases.listDeliveriesOfWebhook({ id, state, limit });
          return {
            json: toList(page.items.map(presentWebhookDelivery), page.nextCursor !== null),
            text: renderTable(deliveryColumns, page.items, 'Nothing to deliver yet.'),
          };
        },
      ),
    );

  addCommand(group, 'replay', 'send again what is set aside, or the delivery of one event', [
    'we_0198c5c1',
    'we_0198c5c1 --event evt_0198c5c1',
  ])
    .argument('<id>', 'id of the endpoint')
    .option('--event <id>', 'only this event, in whatever state its delivery is')
    .action(
      action(context, async ({ operatorUseCases }, id: string, options: { event?: string }) => {
        const replayed = await operatorUseCases.replayWebhook({ id, eventId: options.event });
        return { json: { id, replayed }, text: `${replayed} to be sent again.` };
      }),
    );
}

interface NewWebhookOptions extends OwnerOptions {
  readonly url: string;
  readonly types?: AccessEventType[];
}

interface DeliveryOptions {
  readonly state?: DeliveryState;
  readonly limit: number;
}

function describe(outcome: WebhookOutcome): string {
  return 'status' in outcome ? `the receiver answered ${outcome.status}` : outcome.failure;
}

function showSecret({ endpoint, secret }: MintedWebhook): CommandResult {
  const { id, url, ...rest } = presentWebhookEndpoint(endpoint);
  return {
    json: { id, url, secret, ...rest },
    text: `${renderFields({ id, url, secret })}\n\nKeep the secret now: it will not be shown again.`,
  };
}
