import { z } from 'zod';
import {
  type AccessRequest,
  accessRequestStatuses,
  answerBy,
  endDescriptions,
  endedAt,
  type ReceivedRequest,
} from '#core';
import { exampleIds } from './example-ids.ts';
import { companyIdSchema, grantableScopeSchema, instantSchema } from './schemas.ts';

const addition = '**An addition of this service**';

export const accessRequestSchema = z
  .object({
    id: z
      .string()
      .meta({ description: 'Identifier of the form ar_….', example: exampleIds.granted }),
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
    reason: z
      .string()
      .optional()
      .meta({ description: `Why the company declined or revoked, in its words. ${addition}.` }),
    decided_at: instantSchema
      .optional()
      .meta({ description: `When the company last decided. ${addition}.` }),
    pending_scopes: z
      .array(grantableScopeSchema)
      .optional()
      .meta({
        description: `What is asked for in addition to a grant, and the company has not decided on. ${addition}.`,
      }),
    pending_purpose: z
      .string()
      .optional()
      .meta({ description: `What the addition is for. ${addition}.` }),
    ended_at: instantSchema
      .nullable()
      .meta({ description: endDescriptions.endedAt, 'x-addition': true }),
    answer_by: instantSchema
      .nullable()
      .meta({ description: endDescriptions.answerBy, 'x-addition': true }),
  })
  .meta({ id: 'AccessRequest', description: 'A request for a company’s consent.' });

/** @param example an ID that exists in the demo */
export const requestParameters = (example: string) =>
  z.object({ id: z.string().meta({ description: 'Id of an access request.', example }) });

/** Absent fields are left out, as in the contract's own examples. */
export function presentAccessRequest(request: AccessRequest): z.output<typeof accessRequestSchema> {
  const { reason, decidedAt } = request;
  return {
    ...presentContract(request),
    ...(reason !== null && { reason }),
    ...(decidedAt !== null && { decided_at: decidedAt.toISOString() }),
    ...presentAddition(request),
    ...presentEnds(request),
  };
}

const presentEnds = (request: AccessRequest) => ({
  ended_at: endedAt(request)?.toISOString() ?? null,
  answer_by: answerBy(request)?.toISOString() ?? null,
});

function presentContract(request: AccessRequest) {
  return {
    id: request.id,
    object: 'access_request' as const,
    company_id: request.companyId,
    requested_scopes: [...request.requestedScopes],
    approved_scopes: [...request.approvedScopes],
    status: request.status,
    purpose: request.purpose,
    expires_at: request.expiresAt?.toISOString() ?? null,
    created_at: request.createdAt.toISOString(),
  };
}

function presentAddition({ pendingScopes, pendingPurpose }: AccessRequest) {
  return {
    ...(pendingScopes.length > 0 && { pending_scopes: [...pendingScopes] }),
    ...(pendingPurpose !== null && { pending_purpose: pendingPurpose }),
  };
}

/** Adds the version, for deciders without a company key. */
export const presentVersionedRequest = (request: AccessRequest) => ({
  ...presentAccessRequest(request),
  version: request.version,
});

/** The asking investor, as a company sees it. */
export const investorSchema = z
  .object({ id: z.string().meta({ example: exampleIds.investor }), name: z.string() })
  .meta({ id: 'Investor', description: 'The investor that asks or reads.' });

export const receivedRequestSchema = z
  .object({
    ...accessRequestSchema.shape,
    version: z.string().meta({
      description:
        'Another text whenever anything that you decide on has become another one. Send it with your decision; there is nothing to be read out of it.',
      example: exampleIds.waitingVersion,
    }),
    investor: investorSchema,
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why you declined or revoked; the investor sees it too.' }),
    decided_at: instantSchema.nullable().meta({ description: 'When you last decided.' }),
  })
  .meta({ id: 'ReceivedAccessRequest', description: 'A request for your consent.' });

/** The request as its company sees it. */
export function presentReceivedRequest({
  accessRequest,
  investor: { id, name },
}: ReceivedRequest): z.output<typeof receivedRequestSchema> {
  return {
    ...presentContract(accessRequest),
    version: accessRequest.version,
    investor: { id, name },
    reason: accessRequest.reason,
    decided_at: accessRequest.decidedAt?.toISOString() ?? null,
    ...presentAddition(accessRequest),
    ...presentEnds(accessRequest),
  };
}
