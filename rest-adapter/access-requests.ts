import { z } from 'zod';
import {
  type AccessRequest,
  accessRequestStatuses,
  type CallerUseCases,
  InputError,
  idempotencyKeyInput,
  type ListAccessRequestsInput,
  listAccessRequestsInput,
  type RequestAccessInput,
  requestAccessInput,
} from '#core';
import type { Context } from './context.ts';
import type { Endpoint } from './endpoint.ts';
import { listSchema, presentList } from './list.ts';
import { companyIdSchema, grantableScopeSchema, instantSchema } from './schemas.ts';

export const accessRequestSchema = z
  .object({
    id: z.string().meta({ description: 'Identifier of the form ar_….', example: 'ar_0198c5c1' }),
    object: z.literal('access_request'),
    company_id: companyIdSchema,
    requested_scopes: z.array(grantableScopeSchema),
    approved_scopes: z
      .array(grantableScopeSchema)
      .meta({ description: 'What the company approved; empty until it has.' }),
    status: z.enum(accessRequestStatuses),
    purpose: z
      .string()
      .nullable()
      .meta({ description: 'The explanation that came with the request.' }),
    expires_at: instantSchema
      .nullable()
      .meta({ description: 'When the grant ends; null until there is one.' }),
    created_at: instantSchema,
  })
  .meta({ id: 'AccessRequest', description: 'A request for a company’s consent.' });

export function presentAccessRequest(request: AccessRequest): z.output<typeof accessRequestSchema> {
  return {
    id: request.id,
    object: 'access_request',
    company_id: request.companyId,
    requested_scopes: [...request.requestedScopes],
    approved_scopes: [...request.approvedScopes],
    status: request.status,
    purpose: request.purpose,
    expires_at: request.expiresAt?.toISOString() ?? null,
    created_at: request.createdAt.toISOString(),
  };
}

const example: z.output<typeof accessRequestSchema> = {
  id: 'ar_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  object: 'access_request',
  company_id: 'co_harbor',
  requested_scopes: ['metrics:read', 'sources:read'],
  approved_scopes: [],
  status: 'pending',
  purpose: 'Quarterly reporting to our partners.',
  expires_at: null,
  created_at: '2026-11-02T09:30:00.000Z',
};

const { companyId, scopes, purpose } = requestAccessInput.shape;

const creationSchema = z
  .object({ company_id: companyId, scopes, purpose }, 'invalid_parameter')
  .meta({ id: 'AccessRequestCreation' });

const creationHeaders = z.object({ 'idempotency-key': idempotencyKeyInput.optional() });

/** What the use case is asked. A body that is no object goes on as it is, and is refused there. */
function creationInput({ body, headers }: Context): RequestAccessInput {
  if (!(body instanceof Object) || Array.isArray(body)) return body as RequestAccessInput;
  const { company_id, ...rest } = body as Record<string, unknown>;
  return {
    ...rest,
    companyId: company_id,
    idempotencyKey: headers['idempotency-key'],
  } as RequestAccessInput;
}

const sentNames = new Map([
  ['companyId', 'company_id'],
  ['idempotencyKey', 'idempotency-key'],
]);

/** Names the parameter that is refused as the caller has sent it. */
function nameAsSent(error: unknown): never {
  const name = error instanceof InputError ? sentNames.get(error.parameter) : undefined;
  throw name === undefined ? error : new InputError((error as InputError).code, name);
}

const listUrl = '/v1/access-requests';

export const accessRequestEndpoints = (useCases: CallerUseCases): Endpoint[] => [
  {
    method: 'POST',
    path: '/access-requests',
    id: 'createAccessRequest',
    tag: 'Access requests',
    summary: 'Ask a company for access',
    description:
      'The company is asked by whoever runs this service, and answers in its own time; poll GET /v1/access-requests for the outcome. At most one request per company is live (pending or approved): asking again for what it covers returns it, asking for more is a conflict.',
    scope: null,
    headers: creationHeaders,
    body: creationSchema,
    responses: {
      200: {
        description: 'A live request that covers the scopes exists already.',
        schema: accessRequestSchema,
        example,
      },
      201: { description: 'The request was created.', schema: accessRequestSchema, example },
    },
    refusals: [
      'malformed_json',
      'invalid_parameter',
      'company_not_found',
      'scope_conflict',
      'request_conflict',
      'idempotency_key_in_use',
      'payload_too_large',
      'unsupported_media_type',
      'missing_company_id',
      'missing_scopes',
      'invalid_scope',
      'idempotency_key_reused',
    ],
    async handle(context) {
      const { outcome, accessRequest, replayed } = await useCases
        .requestAccess(context.caller, creationInput(context))
        .catch(nameAsSent);
      return {
        status: outcome === 'created' ? 201 : 200,
        body: presentAccessRequest(accessRequest),
        ...(replayed && { headers: { 'idempotent-replayed': 'true' } }),
      };
    },
  },
  {
    method: 'GET',
    path: '/access-requests',
    id: 'listAccessRequests',
    tag: 'Access requests',
    summary: 'List your access requests',
    description: 'All requests of the investor that the key belongs to, newest first.',
    scope: null,
    query: listAccessRequestsInput,
    responses: {
      200: {
        description: 'The requests, each with the status that it has now.',
        schema: listSchema(accessRequestSchema, 'AccessRequestList', 'access requests'),
        example: presentList([example], listUrl),
      },
    },
    refusals: ['invalid_parameter'],
    async handle({ caller, query }) {
      const requests = await useCases.listAccessRequests(caller, query as ListAccessRequestsInput);
      return { status: 200, body: presentList(requests.map(presentAccessRequest), listUrl) };
    },
  },
];
