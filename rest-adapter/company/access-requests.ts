import { z } from 'zod';
import {
  type AccessEvent,
  type CompanyUseCases,
  listReceivedRequestsInput,
  maxHistory,
  type ReceivedRequestDetails,
} from '#core';
import { accessEventResource, presentAccessEvent, snakeCaseKeys } from '#http';
import {
  actorSchema,
  presentActor,
  presentReceivedRequest,
  receivedRequestSchema,
  requestParameters,
} from '../access-request.ts';
import type { CompanyEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { eventTypeSchema } from '../event.ts';
import { exampleIds } from '../example-ids.ts';
import { pageSchema, presentPage } from '../list.ts';
import { exampleCursor, withExample } from '../schemas.ts';

const change = snakeCaseKeys(accessEventResource.shape);

const historySchema = z.array(
  z
    .object({
      ...change,
      type: eventTypeSchema,
      actor: actorSchema,
    })
    .meta({ id: 'Transition', description: 'One change of a request, with the state after it.' }),
);

const presentTransition = (event: AccessEvent) => ({
  ...snakeCaseKeys(presentAccessEvent(event)),
  actor: presentActor(event.actor),
});

export const presentRequestDetails = (
  details: ReceivedRequestDetails,
): z.output<typeof detailsSchema> => ({
  ...presentReceivedRequest(details),
  history: details.history.map(presentTransition),
});

const detailsSchema = receivedRequestSchema
  .extend({ history: historySchema.meta({ description: 'The changes, oldest first.' }) })
  .meta({ id: 'AccessRequestDetails', description: 'A request with its whole history.' });

export const investor = { id: exampleIds.investor, name: 'Sandbox Capital' };
const createdAt = '2026-11-02T09:30:00.000Z';

export const pendingExample: z.output<typeof receivedRequestSchema> = {
  id: exampleIds.waiting,
  object: 'access_request',
  company_id: 'co_juniper',
  requested_scopes: ['metrics:read', 'accounts:read', 'sources:read'],
  approved_scopes: [],
  status: 'pending',
  purpose: 'Monthly reporting to our partners.',
  expires_at: null,
  created_at: createdAt,
  version: exampleIds.waitingVersion,
  investor,
  reason: null,
  decided_at: null,
  requested_terms: null,
  approved_terms: null,
  paused_at: null,
  ended_at: null,
  answer_by: '2026-12-02T09:30:00.000Z',
  approvals: [],
};

const creation: z.output<typeof historySchema>[number] = {
  type: 'access_request.created',
  created_at: createdAt,
  actor: { type: 'investor', id: investor.id },
  reason: null,
  approved_scopes: [],
  expires_at: null,
};

const listUrl = '/company/v1/access-requests';
const { status, limit, cursor } = listReceivedRequestsInput.shape;

export const accessRequestEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/access-requests',
    id: 'listAccessRequests',
    tag: 'Access requests',
    summary: 'List the access requests to your company',
    description: 'Newest first, with their present status.',
    query: z.object({
      status,
      limit,
      cursor: withExample(cursor, exampleCursor(exampleIds.waiting)),
    }),
    responses: {
      200: {
        description: 'A page of the requests.',
        schema: pageSchema(receivedRequestSchema, 'AccessRequestPage', 'access requests'),
        example: presentPage([pendingExample], listUrl, null),
      },
    },
    refusals: [],
    async handle({ caller }, input) {
      const { items, nextCursor } = await useCases.listReceivedRequests(caller, input);
      const body = presentPage(items.map(presentReceivedRequest), listUrl, nextCursor);
      return { status: 200, body };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/access-requests/{id}',
    id: 'getAccessRequest',
    tag: 'Access requests',
    summary: 'Read one access request',
    description: `Includes the newest ${maxHistory} changes of the request.`,
    parameters: requestParameters(exampleIds.waiting),
    responses: {
      200: {
        description: 'The request.',
        schema: detailsSchema,
        example: { ...pendingExample, history: [creation] },
      },
    },
    refusals: ['access_request_not_found'],
    async handle({ caller }, input) {
      const details = await useCases.readReceivedRequest(caller, input);
      return { status: 200, body: presentRequestDetails(details) };
    },
  }),
];
