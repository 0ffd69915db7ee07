import { z } from 'zod';
import {
  type AccessRequest,
  accessRequestStatuses,
  answerBy,
  endDescriptions,
  endedAt,
  type ReceivedRequest,
} from '#core';
import { grantableScope, instant } from '#http';
import { exampleIds } from './example-ids.ts';
import { companyIdSchema } from './schemas.ts';

export const accessRequestSchema = z
  .object({
    id: z
      .string()
      .meta({ description: 'Identifier of the form ar_….', example: exampleIds.granted }),
    object: z.literal('access_request'),
    company_id: companyIdSchema,
    requested_scopes: z.array(grantableScope),
    approved_scopes: z
      .array(grantableScope)
      .meta({ description: 'The scopes that the company approved. Empty before the approval.' }),
    status: z.enum(accessRequestStatuses),
    purpose: z.string().nullable().meta({ description: 'The investor’s reason for the request.' }),
    expires_at: instant
      .nullable()
      .meta({ description: 'The end of the grant. Null before the approval.' }),
    created_at: instant,
    reason: z.string().optional().meta({
      description: 'The company’s reason for declining or revoking. Absent without one.',
      'x-addition': true,
    }),
    decided_at: instant.optional().meta({
      description: 'Time of the company’s last decision. Absent before the first one.',
      'x-addition': true,
    }),
    pending_scopes: z.array(grantableScope).optional().meta({
      description: 'Scopes requested in addition to a grant, before the company decides.',
      'x-addition': true,
    }),
    pending_purpose: z
      .string()
      .optional()
      .meta({ description: 'The purpose of the addition.', 'x-addition': true }),
    ended_at: instant.nullable().meta({ description: endDescriptions.endedAt, 'x-addition': true }),
    answer_by: instant
      .nullable()
      .meta({ description: endDescriptions.answerBy, 'x-addition': true }),
  })
  .meta({ id: 'AccessRequest', description: 'A request for a company’s consent.' });

/** @param example an ID that exists in the demo */
export const requestParameters = (example: string) =>
  z.object({ id: z.string().meta({ description: 'ID of an access request.', example }) });

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
  .meta({ id: 'Investor', description: 'The investor that requests or reads data.' });

export const receivedRequestSchema = z
  .object({
    ...accessRequestSchema.shape,
    version: z.string().meta({
      description:
        'Opaque text. Changes with everything that your decision depends on. Send it with your decision.',
      example: exampleIds.waitingVersion,
    }),
    investor: investorSchema,
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Your reason for declining or revoking. The investor sees it, too.' }),
    decided_at: instant
      .nullable()
      .meta({ description: 'Time of your last decision. Null before the first one.' }),
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
