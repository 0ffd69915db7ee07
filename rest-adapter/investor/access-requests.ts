import { z } from 'zod';
import {
  type InvestorUseCases,
  idempotencyKeyInput,
  requestAccessInput,
  requestFilterInput,
} from '#core';
import { accessRequestSchema, presentAccessRequest, requestParameters } from '../access-request.ts';
import { endpoint } from '../endpoint.ts';
import { bodyRefusals } from '../errors.ts';
import { exampleIds } from '../example-ids.ts';
import { listSchema, presentList } from '../list.ts';
import type { InvestorEndpoint } from './context.ts';

type Example = z.output<typeof accessRequestSchema>;

const created: Example = {
  id: 'ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a60',
  object: 'access_request',
  company_id: 'co_lumen',
  requested_scopes: ['metrics:read', 'sources:read'],
  approved_scopes: [],
  status: 'pending',
  purpose: 'Quarterly reporting to our partners.',
  expires_at: null,
  created_at: '2026-11-02T09:30:00.000Z',
  ended_at: null,
  answer_by: '2026-12-02T09:30:00.000Z',
};

const everyScope: Example['requested_scopes'] = ['metrics:read', 'accounts:read', 'sources:read'];

export const granted: Example = {
  ...created,
  id: exampleIds.granted,
  company_id: 'co_harbor',
  requested_scopes: everyScope,
  approved_scopes: everyScope,
  status: 'approved',
  purpose: 'Monthly reporting to our partners.',
  expires_at: '2031-11-02T09:31:00.000Z',
  decided_at: '2026-11-02T09:31:00.000Z',
  answer_by: null,
};

const unanswered: Example = {
  ...created,
  id: exampleIds.unanswered,
  company_id: 'co_test_never_answers',
};

const { companyId, scopes, purpose } = requestAccessInput.shape;

const listUrl = '/v1/access-requests';

export const accessRequestEndpoints = (useCases: InvestorUseCases): InvestorEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/access-requests',
    id: 'createAccessRequest',
    tag: 'Access requests',
    summary: 'Ask a company for access',
    description:
      'The company is told, and answers in its own time; GET /v1/access-requests and GET /v1/events show the outcome. At most one request per company is live (pending or approved): asking again for what it covers returns it, asking for more, or for what the company left out, is a conflict: amend the live one.',
    headers: z.object({ idempotencyKey: idempotencyKeyInput.optional() }),
    body: z.object({ companyId, scopes, purpose }).meta({
      id: 'AccessRequestCreation',
      example: {
        company_id: created.company_id,
        scopes: created.requested_scopes,
        purpose: created.purpose,
      },
    }),
    needsBody: true,
    responses: {
      200: {
        description: 'A live request that covers the scopes exists already.',
        schema: accessRequestSchema,
        example: created,
      },
      201: {
        description: 'The request was created.',
        schema: accessRequestSchema,
        example: created,
      },
    },
    refusals: [
      ...bodyRefusals,
      'invalid_parameter',
      'company_not_found',
      'scope_conflict',
      'request_conflict',
      'idempotency_key_in_use',
      'missing_company_id',
      'missing_scopes',
      'invalid_scope',
      'idempotency_key_reused',
    ],
    async handle({ caller }, input) {
      const { outcome, accessRequest, replayed } = await useCases.requestAccess(caller, input);
      return {
        status: outcome === 'created' ? 201 : 200,
        body: presentAccessRequest(accessRequest),
        ...(replayed && { headers: { 'idempotent-replayed': 'true' } }),
      };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/access-requests',
    id: 'listAccessRequests',
    tag: 'Access requests',
    summary: 'List your access requests',
    description:
      'All requests of the investor that the key belongs to, newest first, each as it stands when it is written. A long list is sent as it is read, at a point for each started 200 requests; at most two of them at a time for an investor, others wait. **Where it cannot go on the connection ends**: the list is whole when its JSON is.',
    query: requestFilterInput,
    responses: {
      200: {
        description: 'The requests, each with the status that it has now.',
        schema: listSchema(accessRequestSchema, 'AccessRequestList', 'access requests'),
        example: presentList([created, unanswered], listUrl),
      },
    },
    refusals: ['invalid_parameter'],
    handle: ({ caller }, input) => ({
      pages: useCases.walkAccessRequests(caller, input),
      present: presentAccessRequest,
      url: listUrl,
      owner: caller.investorId,
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/access-requests/{id}',
    id: 'getAccessRequest',
    tag: 'Access requests',
    summary: 'Read one access request',
    description: '**An addition of this service.**',
    parameters: requestParameters(exampleIds.granted),
    responses: {
      200: {
        description: 'The request as it is now.',
        schema: accessRequestSchema,
        example: granted,
      },
    },
    refusals: ['access_request_not_found'],
    async handle({ caller }, input) {
      const request = await useCases.readAccessRequest(caller, input);
      return { status: 200, body: presentAccessRequest(request) };
    },
  }),
  endpoint({
    method: 'PATCH',
    path: '/access-requests/{id}',
    id: 'amendAccessRequest',
    tag: 'Access requests',
    summary: 'Ask for more on a live request',
    description:
      'The scopes are what you want in addition. Those of a pending request join `requested_scopes`. Beside a grant they are `pending_scopes` until the company has decided on them: what is granted goes on, and a read that needs one of them answers `access_pending`. Asking for nothing new changes nothing. **An addition of this service.**',
    parameters: requestParameters(exampleIds.unanswered),
    body: z.object({ scopes, purpose }).meta({
      id: 'AccessRequestAmendment',
      example: { scopes: ['sources:read'], purpose: unanswered.purpose },
    }),
    responses: {
      200: {
        description: 'The request as it is now.',
        schema: accessRequestSchema,
        example: unanswered,
      },
    },
    refusals: [
      ...bodyRefusals,
      'missing_scopes',
      'invalid_scope',
      'access_request_not_found',
      'company_not_found',
      'illegal_transition',
    ],
    async handle({ caller }, input) {
      const request = await useCases.amendAccessRequest(caller, input);
      return { status: 200, body: presentAccessRequest(request) };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/access-requests/{id}',
    id: 'withdrawAccessRequest',
    tag: 'Access requests',
    summary: 'Withdraw a request, or give a grant up',
    description:
      'The status becomes `expired`. Sending it again changes nothing. **An addition of this service.**',
    parameters: requestParameters(exampleIds.unanswered),
    responses: {
      200: {
        description: 'The request as it is now.',
        schema: accessRequestSchema,
        example: {
          ...unanswered,
          status: 'expired',
          ended_at: '2026-11-05T14:05:00.000Z',
          answer_by: null,
        },
      },
    },
    refusals: [...bodyRefusals, 'access_request_not_found', 'illegal_transition'],
    async handle({ caller }, input) {
      const request = await useCases.withdrawAccessRequest(caller, input);
      return { status: 200, body: presentAccessRequest(request) };
    },
  }),
];
