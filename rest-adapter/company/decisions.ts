import { z } from 'zod';
import {
  approvalInput,
  type CompanyUseCases,
  declineInput,
  grantableScopes,
  type ReceivedRequest,
} from '#core';
import {
  presentReceivedRequest,
  receivedRequestSchema,
  requestParameters,
} from '../access-request.ts';
import { decodeBody, nameAsSent } from '../decode.ts';
import { bodyRefusals } from '../errors.ts';
import { exampleIds } from '../example-ids.ts';
import { instantParameter, withExample } from '../schemas.ts';
import { pendingExample } from './access-requests.ts';
import type { CompanyContext, CompanyEndpoint } from './context.ts';

const { scopes, version } = approvalInput.shape;
const { reason } = declineInput.shape;

const approvalSchema = z
  .object({
    version,
    scopes: z
      .array(z.enum(grantableScopes))
      .nullish()
      .meta(scopes.meta() ?? {}),
    expires_at: instantParameter.nullish().meta({
      description:
        'The end of the grant; when absent, the present end, or the default of this service for a new grant.',
    }),
  })
  .meta({
    id: 'Approval',
    example: {
      version: exampleIds.waitingVersion,
      scopes: ['metrics:read'],
      expires_at: '2035-12-31T23:59:59Z',
    },
  });

const declineSchema = z.object({ version, reason }).meta({
  id: 'Decline',
  example: {
    version: exampleIds.alsoWaitingVersion,
    reason: 'Please ask again after the closing.',
  },
});

const revocationSchema = z.object({ reason }).meta({
  id: 'Revocation',
  example: { reason: 'Please ask again after the closing.' },
});

const extensionSchema = z
  .object({ version, expires_at: withExample(instantParameter, '2036-12-31T23:59:59Z') })
  .meta({
    id: 'Extension',
    example: { expires_at: '2036-12-31T23:59:59Z' },
  });

const decidedAt = '2026-11-03T14:05:00.000Z';
const decidedVersion = 'ver_019ba4c2d3e47f508192a3b4c5d6e7f8';
const expiresAt = '2035-12-31T23:59:59.000Z';

const examples = {
  approved: {
    ...pendingExample,
    version: decidedVersion,
    approved_scopes: ['metrics:read'],
    status: 'approved',
    expires_at: expiresAt,
    decided_at: decidedAt,
  },
  extended: {
    ...pendingExample,
    version: decidedVersion,
    approved_scopes: ['metrics:read'],
    status: 'approved',
    expires_at: '2036-12-31T23:59:59.000Z',
    decided_at: decidedAt,
  },
  declined: {
    ...pendingExample,
    version: decidedVersion,
    id: exampleIds.alsoWaiting,
    investor: { id: 'inv_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c', name: 'Northlight Ventures' },
    status: 'declined',
    reason: 'Please ask again after the closing.',
    decided_at: decidedAt,
  },
  revoked: {
    ...pendingExample,
    version: decidedVersion,
    approved_scopes: ['metrics:read'],
    status: 'revoked',
    expires_at: '2036-12-31T23:59:59.000Z',
    reason: 'Please ask again after the closing.',
    decided_at: decidedAt,
  },
} as const;

const seen =
  'Send the `version` that you have read: it is refused when the request has become another one. Without it, only a request that the investor has never changed can be decided on.';

type Decision = Pick<CompanyEndpoint, 'id' | 'summary' | 'description'> & {
  readonly action: 'approve' | 'decline' | 'revoke' | 'extend';
  readonly body: z.ZodObject;
  readonly outcome: keyof typeof examples;
  decide(context: CompanyContext): Promise<ReceivedRequest>;
};

const decisions = (useCases: CompanyUseCases): Decision[] => [
  {
    action: 'approve',
    id: 'approveAccessRequest',
    summary: 'Approve a request, or a part of it',
    description: `Of a pending request, all that was asked or the scopes that you name. While a grant has \`pending_scopes\`, it adds those that you name, or all, and drops the others. ${seen}`,
    body: approvalSchema,
    outcome: 'approved',
    decide: (context) =>
      useCases.approveRequest(context.caller, decodeBody(context, approvalSchema)),
  },
  {
    action: 'extend',
    id: 'extendAccessRequest',
    summary: 'Let a grant last longer',
    description: `The new end must be later than the present one. ${seen}`,
    body: extensionSchema,
    outcome: 'extended',
    decide: (context) =>
      useCases.extendRequest(context.caller, decodeBody(context, extensionSchema)),
  },
  {
    action: 'revoke',
    id: 'revokeAccessRequest',
    summary: 'Take a grant back',
    description: 'Every read that starts after the answer is refused.',
    body: revocationSchema,
    outcome: 'revoked',
    decide: (context) =>
      useCases.revokeRequest(context.caller, decodeBody(context, revocationSchema)),
  },
  {
    action: 'decline',
    id: 'declineAccessRequest',
    summary: 'Decline a request',
    description: `A pending request ends. While a grant has \`pending_scopes\`, these are dropped and the grant stays as it is. ${seen}`,
    body: declineSchema,
    outcome: 'declined',
    decide: (context) =>
      useCases.declineRequest(context.caller, decodeBody(context, declineSchema)),
  },
];

export const decisionEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] =>
  decisions(useCases).map(({ action, outcome, decide, ...documented }) => ({
    ...documented,
    method: 'POST',
    path: `/access-requests/{id}/${action}`,
    tag: 'Decisions',
    parameters: requestParameters(examples[outcome].id),
    responses: {
      200: {
        description: 'The request as it stands now.',
        schema: receivedRequestSchema,
        example: examples[outcome],
      },
    },
    refusals: [
      ...bodyRefusals,
      'access_request_not_found',
      'illegal_transition',
      ...(action === 'revoke' ? [] : (['request_changed'] as const)),
      ...('expires_at' in documented.body.shape ? (['invalid_decision'] as const) : []),
    ],
    async handle(context) {
      const received = await decide(context).catch(nameAsSent);
      return { status: 200, body: presentReceivedRequest(received) };
    },
  }));
