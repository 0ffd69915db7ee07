import { z } from 'zod';
import {
  type AccessRequest,
  type AccessTerms,
  type Actor,
  answerBy,
  findEndedAt,
  type ReceivedRequest,
  termsInput,
} from '#core';
import {
  accessEventResource,
  accessRequestResource,
  accessTermsResource,
  instant,
  investorResource,
  presentActor as presentActorOf,
  presentTerms as presentTermsOf,
  snakeCaseKeys,
} from '#http';
import { exampleIds } from './example-ids.ts';
import { absentIfNull, withExample } from './schemas.ts';

const { id, ...fields } = snakeCaseKeys(accessRequestResource.shape);
const pendingScopes = fields.pending_scopes;

const termsSchema = z
  .object(snakeCaseKeys(accessTermsResource.shape))
  .meta({ ...accessTermsResource.meta(), id: 'AccessTerms' });

const nullableTerms = (field: z.ZodType) => termsSchema.nullable().meta(field.meta() ?? {});

export const termsField = termsInput
  .meta({ ...termsInput.meta(), id: 'AccessTermsInput', 'x-addition': true })
  .nullish();

export const accessRequestSchema = z
  .object({
    id: withExample(id, exampleIds.granted),
    object: z.literal('access_request'),
    ...fields,
    reason: absentIfNull(fields.reason),
    decided_at: absentIfNull(fields.decided_at),
    pending_scopes: pendingScopes.optional().meta(pendingScopes.meta() ?? {}),
    pending_purpose: absentIfNull(fields.pending_purpose),
    requested_terms: nullableTerms(fields.requested_terms),
    approved_terms: nullableTerms(fields.approved_terms),
    pending_terms: absentIfNull(nullableTerms(fields.pending_terms)),
  })
  .meta({ ...accessRequestResource.meta(), id: 'AccessRequest' });

export const requestParameters = (example: string) =>
  z.object({ id: z.string().meta({ description: 'ID of an access request.', example }) });

/** Omits absent fields, as the contract's examples do. */
export function presentAccessRequest(request: AccessRequest): z.output<typeof accessRequestSchema> {
  const { reason, decidedAt } = request;
  return {
    ...presentContract(request),
    ...(reason !== null && { reason }),
    ...(decidedAt !== null && { decided_at: decidedAt.toISOString() }),
    ...presentAdditions(request),
  };
}

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

function presentAdditions(request: AccessRequest) {
  const { pendingScopes, pendingPurpose, requestedTerms, approvedTerms, pendingTerms } = request;
  return {
    ...(pendingScopes.length > 0 && { pending_scopes: [...pendingScopes] }),
    ...(pendingPurpose !== null && { pending_purpose: pendingPurpose }),
    requested_terms: requestedTerms && presentTerms(requestedTerms),
    approved_terms: approvedTerms && presentTerms(approvedTerms),
    ...(pendingTerms !== null && { pending_terms: presentTerms(pendingTerms) }),
    paused_at: request.pausedAt?.toISOString() ?? null,
    ended_at: findEndedAt(request)?.toISOString() ?? null,
    answer_by: answerBy(request)?.toISOString() ?? null,
  };
}

const presentTerms = (terms: AccessTerms) => snakeCaseKeys(presentTermsOf(terms));

export const presentVersionedRequest = (request: AccessRequest) => ({
  ...presentAccessRequest(request),
  version: request.version,
});

export const investorSchema = z
  .object({
    id: withExample(investorResource.shape.id, exampleIds.investor),
    name: investorResource.shape.name,
  })
  .meta({ id: 'Investor', description: 'The investor that requests or reads data.' });

export const actorSchema = z
  .object(snakeCaseKeys(accessEventResource.shape.actor.shape))
  .meta(accessEventResource.shape.actor.meta() ?? {});

export const presentActor = (actor: Actor) => snakeCaseKeys(presentActorOf(actor));

const approvalSchema = z
  .object({
    actor: actorSchema,
    created_at: instant.meta({ description: 'Time of the approval, in RFC 3339.' }),
  })
  .meta({ id: 'GivenApproval', description: 'One of two approvals.' });

export const receivedRequestSchema = z
  .object({
    ...accessRequestSchema.shape,
    version: z.string().meta({
      description:
        'The opaque version of the request. It changes whenever something changes that matters for your decision. Send it with your decision.',
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
    approvals: z.array(approvalSchema).meta({
      description:
        'The approvals of your people, if your company requires two. While the request waits, contains the first approval. After the decision, contains both. Empty otherwise.',
    }),
  })
  .meta({ id: 'ReceivedAccessRequest', description: 'A request for your consent.' });

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
    ...presentAdditions(accessRequest),
    approvals: accessRequest.approvals.map(({ actor, createdAt }) => ({
      actor: presentActor(actor),
      created_at: createdAt,
    })),
  };
}
