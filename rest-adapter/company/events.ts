import type { CompanyUseCases } from '#core';
import type { CompanyEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import {
  eventsQuery,
  presentFeed,
  presentReceivedEvent,
  readEventsQuery,
  receivedEventSchema,
} from '../event.ts';
import { streamDescription } from '../event-stream.ts';
import { exampleIds } from '../example-ids.ts';
import { pageSchema } from '../list.ts';
import { waitingReceipt } from '../receipt-examples.ts';
import { withExample } from '../schemas.ts';
import { pendingExample } from './access-requests.ts';

const example = {
  id: exampleIds.waitingEvent,
  object: 'event',
  type: 'access_request.created',
  created_at: pendingExample.created_at,
  data: { access_request: pendingExample, receipt: waitingReceipt },
};

export const webhooks = { dataSchema: 'ReceivedEventData', example };

const listUrl = '/company/v1/events';

export const eventEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/events',
    id: 'listEvents',
    tag: 'Events',
    summary: 'List events',
    description: `Lists the events about access requests to your company and about your company’s data, oldest first. Every reader gets the same order. To continue, send the ID of your last event as \`after\`. New events never appear before that event. The feed goes back 90 days.\n\n${streamDescription}`,
    query: eventsQuery.extend({
      after: withExample(eventsQuery.shape.after, exampleIds.waitingEvent),
    }),
    responses: {
      200: {
        stream: receivedEventSchema,
        description: 'The events after the given one. Send `next_cursor` as `after` to continue.',
        schema: pageSchema(receivedEventSchema, 'EventPage', 'events'),
        example: presentFeed([example], false, listUrl),
      },
    },
    refusals: ['event_expired'],
    async handle({ caller }, input) {
      const { events, hasMore } = await useCases.readCompanyEvents(caller, readEventsQuery(input));
      return { status: 200, body: presentFeed(events.map(presentReceivedEvent), hasMore, listUrl) };
    },
    async watch({ caller }, input) {
      return {
        ...(await useCases.watchCompanyEvents(caller, readEventsQuery(input))),
        present: presentReceivedEvent,
      };
    },
  }),
];
