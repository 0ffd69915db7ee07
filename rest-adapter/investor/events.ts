import type { z } from 'zod';
import type { InvestorUseCases } from '#core';
import type { InvestorEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { eventSchema, eventsQuery, presentEvent, presentFeed, readEventsQuery } from '../event.ts';
import { streamDescription } from '../event-stream.ts';
import { exampleIds } from '../example-ids.ts';
import { pageSchema } from '../list.ts';
import { approvalReceipt } from '../receipt-examples.ts';
import { granted } from './access-requests.ts';

const example: z.output<typeof eventSchema> = {
  id: exampleIds.approvalEvent,
  object: 'event',
  type: 'access_request.approved',
  created_at: '2026-11-02T09:31:00.000Z',
  data: { access_request: granted, receipt: approvalReceipt },
};

export const webhooks = { dataSchema: 'EventData', example };

const listUrl = '/v1/events';

export const eventEndpoints = (useCases: InvestorUseCases): InvestorEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/events',
    id: 'listEvents',
    tag: 'Events',
    summary: 'List events of your access requests and granted data',
    description: `Lists the events, oldest first. Every reader gets the same order. To continue, send the ID of your last event as \`after\`. New events never appear before that event. The feed goes back 90 days. Data events contain only the part that a live grant covers at the time of the read.\n\n${streamDescription}`,
    isAddition: true,
    query: eventsQuery,
    responses: {
      200: {
        stream: eventSchema,
        description: 'The events after the given one. Send `next_cursor` as `after` to continue.',
        schema: pageSchema(eventSchema, 'EventPage', 'events'),
        example: presentFeed([example], false, listUrl),
      },
    },
    refusals: ['event_expired'],
    async handle({ caller }, input) {
      const { events, hasMore } = await useCases.readInvestorEvents(caller, readEventsQuery(input));
      return { status: 200, body: presentFeed(events.map(presentEvent), hasMore, listUrl) };
    },
    async watch({ caller }, input) {
      const events = await useCases.watchInvestorEvents(caller, readEventsQuery(input));
      return { ...events, present: presentEvent };
    },
  }),
];
