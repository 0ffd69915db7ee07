import { z } from 'zod';
import {
  type InvestorUseCases,
  idempotencyKeyInput,
  requestAccessInput,
  requestFilterInput,
} from '#core';
import {
  accessRequestSchema,
  presentAccessRequest,
  requestParameters,
  termsField,
} from '../access-request.ts';
import type { InvestorEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { bodyRefusals } from '../errors.ts';
import { exampleIds } from '../example-ids.ts';
import { listSchema, presentList } from '../list.ts';

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
  requested_terms: null,
  approved_terms: null,
  paused_at: null,
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
    summary: 'Request access to a company',
    description:
      'Notifies the company, which decides in its own time. GET /v1/access-requests and GET /v1/events show the decision. At most one request per company is live (pending or approved). If the live request covers the scopes and the terms of a call, the call returns the live request. A call for more is a conflict: amend the live request instead.',
    headers: z.object({ idempotencyKey: idempotencyKeyInput.optional() }),
    body: z.object({ companyId, scopes, purpose, terms: termsField }).meta({
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
        description: 'A live request already covers the scopes and the terms.',
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
      'Lists all requests of your investor, newest first, with their present status. A long list is streamed and costs one point per 200 requests, rounded up. An investor gets up to two long lists at a time; further lists wait. **If the service can’t complete the list, it closes the connection.** The list is complete if its JSON is complete.',
    query: requestFilterInput,
    responses: {
      200: {
        description: 'The requests with their present status.',
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
    description: 'Returns the request with its present status.',
    isAddition: true,
    parameters: requestParameters(exampleIds.granted),
    responses: {
      200: {
        description: 'The request.',
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
    summary: 'Add scopes or wider terms to a live request',
    description:
      'Send the additional scopes, the additional terms or both. In a pending request, they are added to `requested_scopes` and `requested_terms`. In a grant, they are in `pending_scopes` and `pending_terms` until the company decides. The grant stays in force. A read that needs a pending scope returns `access_pending`. Members of `terms` that you leave out stay as they are, and null lifts a limit. A call that asks for nothing new changes nothing.',
    isAddition: true,
    parameters: requestParameters(exampleIds.unanswered),
    body: z.object({ scopes: scopes.optional(), purpose, terms: termsField }).meta({
      id: 'AccessRequestAmendment',
      example: { scopes: ['sources:read'], purpose: unanswered.purpose },
    }),
    responses: {
      200: {
        description: 'The request after the change.',
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
    summary: 'Withdraw a request or give up a grant',
    description: 'The status becomes `expired`. A repeated call changes nothing.',
    isAddition: true,
    parameters: requestParameters(exampleIds.unanswered),
    responses: {
      200: {
        description: 'The request after the change.',
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
