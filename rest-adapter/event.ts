import { z } from 'zod';
import {
  accessEventTypes,
  type DataEvent,
  dataEventTypes,
  type FeedEvent,
  isRequestEvent,
  issueReceipt,
  type Owner,
  type RequestFeedEvent,
  readEventsInput,
  type SourceName,
} from '#core';
import { companyDataChangeResource, snakeCaseKeys } from '#http';
import {
  accessRequestSchema,
  presentAccessRequest,
  presentReceivedRequest,
  receivedRequestSchema,
} from './access-request.ts';
import { presentPage } from './list.ts';
import { splitList } from './metric-queries.ts';
import { presentReceipt, receiptSchema } from './receipt.ts';

const change = snakeCaseKeys(companyDataChangeResource.shape);

export const eventTypeSchema = z
  .enum(accessEventTypes)
  .meta({ id: 'EventType', description: 'The type of a change of an access request.' });

const eventWith = <Type extends z.ZodType, Data extends z.ZodType>(
  type: Type,
  data: Data,
  meta: { readonly id: string; readonly description: string },
) =>
  z
    .object({
      id: change.id,
      object: z.literal('event'),
      type,
      created_at: change.created_at,
      data,
    })
    .meta(meta);

const requestEvent = <T extends z.ZodType>(accessRequest: T, id: string, dataId: string) =>
  eventWith(
    eventTypeSchema,
    z
      .object({
        access_request: accessRequest,
        receipt: receiptSchema
          .optional()
          .meta({ description: 'The receipt of the change. Absent until it is signed.' }),
      })
      .meta({ id: dataId }),
    { id, description: 'A change of an access request, and the request right after the change.' },
  );

const dataUpdateSchema = eventWith(
  z.literal('company_data.updated'),
  z
    .object({
      company_id: change.company_id,
      metric_keys: change.metric_keys,
      has_sources: change.has_sources,
      has_accounts: change.has_accounts,
      data_version: change.data_version,
    })
    .meta({ id: 'DataUpdateData' }),
  {
    id: 'DataUpdateEvent',
    description:
      'A company’s data changed. One event covers all changes made together. It names the changed data, without values. An investor gets only the part that a live grant covers.',
  },
);

const sourceEventSchema = eventWith(
  z.enum(dataEventTypes).exclude(['company_data.updated']),
  z
    .object({
      company_id: change.company_id,
      sources: z
        .array(z.object(snakeCaseKeys(change.sources.element.shape)).meta({ id: 'ChangedSource' }))
        .meta({
          description:
            'The sources, sorted by provider and account name. The names have up to 32,000 characters in total.',
        }),
      source_count: change.source_count,
      provider: z.string().meta({ description: 'The provider of the first source.' }),
      account_name: z.string().meta({ description: 'The account name of the first source.' }),
      data_version: change.data_version,
    })
    .meta({ id: 'SourceEventData' }),
  {
    id: 'SourceEvent',
    description:
      'Sources of a company failed, became stale or recovered. One event of each type names all sources that changed together.',
  },
);

/** Must be the last schema of the union, because parsers choose the first schema that matches. */
const otherEventSchema = eventWith(z.string(), z.record(z.string(), z.unknown()), {
  id: 'OtherEvent',
  description: 'An event of a type that is added later. Ignore types that you don’t know.',
});

const anyOf = <T extends z.ZodType>(ofRequest: T, id: string) =>
  z
    .union([ofRequest, dataUpdateSchema, sourceEventSchema, otherEventSchema])
    .meta({ id, description: 'An event. Its kind is in `type`.' });

export const eventSchema = anyOf(
  requestEvent(accessRequestSchema, 'RequestEvent', 'EventData'),
  'Event',
);
export const receivedEventSchema = anyOf(
  requestEvent(receivedRequestSchema, 'ReceivedRequestEvent', 'ReceivedEventData'),
  'ReceivedEvent',
);

const { after, limit } = readEventsInput.shape;

export const eventsQuery = z.object({
  after,
  limit,
  types: z.string().optional().meta({
    description: 'Only events of these types, separated by commas.',
    example: 'access_request.created,access_request.approved',
  }),
});

export const readEventsQuery = ({ types, ...query }: z.input<typeof eventsQuery>) => ({
  ...query,
  types: splitList('types', types) as FeedEvent['type'][] | undefined,
});

export function presentDataEvent(event: DataEvent) {
  const { companyId: company_id } = event;
  if (event.type !== 'company_data.updated') {
    const { sourceCount: source_count, dataVersion: data_version } = event.data;
    return {
      company_id,
      sources: event.data.sources.map(presentSourceName),
      source_count,
      ...presentSourceName(event.data),
      data_version,
    };
  }
  const { metricKeys, hasSources: has_sources, hasAccounts: has_accounts } = event.data;
  const { dataVersion: data_version } = event.data;
  return { company_id, metric_keys: [...metricKeys], has_sources, has_accounts, data_version };
}

const presentSourceName = ({ provider, accountName }: SourceName) => ({
  provider,
  account_name: accountName,
});

const withData = (event: DataEvent) =>
  ({
    id: event.id,
    object: 'event',
    type: event.type,
    created_at: event.createdAt.toISOString(),
    data: presentDataEvent(event),
  }) as z.output<typeof dataUpdateSchema> | z.output<typeof sourceEventSchema>;

export const presentEvent = (event: FeedEvent): z.output<typeof eventSchema> =>
  isRequestEvent(event)
    ? present(event, presentAccessRequest(event.accessRequest))
    : withData(event);

export function presentReceivedEvent(event: FeedEvent): z.output<typeof receivedEventSchema> {
  if (!isRequestEvent(event)) return withData(event);
  const { accessRequest, investorName } = event;
  const investor = { id: accessRequest.investorId, name: investorName };
  return present(event, presentReceivedRequest({ accessRequest, investor }));
}

function present<Presented>(event: RequestFeedEvent, accessRequest: Presented) {
  const { id, type, createdAt } = event;
  const receipt = issueReceipt(event, event.receipt);
  return {
    id,
    object: 'event' as const,
    type,
    created_at: createdAt.toISOString(),
    data: {
      access_request: accessRequest,
      ...(receipt !== null && { receipt: presentReceipt(receipt) }),
    },
  };
}

export function presentFeed<Event extends { readonly id: string }>(
  events: readonly Event[],
  hasMore: boolean,
  path: string,
) {
  return presentPage(events, path, hasMore ? (events.at(-1)?.id ?? null) : null);
}

/** Uses the format of the company API for a company's endpoint, and of the investor API for an investor's endpoint. */
export function writeWebhook(event: FeedEvent, owner: Owner): string {
  const presented = 'companyId' in owner ? presentReceivedEvent(event) : presentEvent(event);
  const { type, created_at: timestamp, data } = presented;
  return JSON.stringify({ type, timestamp, data });
}
