import { type CompanyUseCases, type ReadEventsInput, readEventsInput } from '#core';
import { decodeQuery } from '../decode.ts';
import { presentFeed, presentReceivedEvent, receivedEventSchema } from '../event.ts';
import { lastEventOf, streamDescription } from '../event-stream.ts';
import { pageSchema } from '../list.ts';
import { receiptExample } from '../receipt.ts';
import { pendingExample } from './access-requests.ts';
import type { CompanyEndpoint } from './context.ts';

const example = {
  id: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  object: 'event',
  type: 'access_request.created',
  created_at: pendingExample.created_at,
  data: { access_request: pendingExample, receipt: receiptExample },
};

const listUrl = '/company/v1/events';

export const eventEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  {
    method: 'GET',
    path: '/events',
    id: 'listEvents',
    tag: 'Events',
    summary: 'Read what happened',
    description:
      'What happened to the access requests to your company, oldest first, in one order for every reader. Go on with the id of the last event that you have as `after`; nothing will ever appear before it. The feed goes back 90 days.',
    query: readEventsInput,
    responses: {
      200: {
        stream: streamDescription,
        description: 'The events after the given one; `next_cursor` is what to send as `after`.',
        schema: pageSchema(receivedEventSchema, 'EventPage', 'events'),
        example: presentFeed([example], false, listUrl),
      },
    },
    refusals: ['event_expired'],
    async handle(context) {
      const input = decodeQuery<ReadEventsInput>(context, readEventsInput);
      if (context.wantsEvents()) {
        const watched = lastEventOf(input, context);
        const watching = await useCases.watchCompanyEvents(context.caller, watched);
        return { ...watching, present: presentReceivedEvent };
      }
      const { events, hasMore } = await useCases.readCompanyEvents(context.caller, input);
      const body = presentFeed(events.map(presentReceivedEvent), hasMore, listUrl);
      return { status: 200, body };
    },
  },
];
