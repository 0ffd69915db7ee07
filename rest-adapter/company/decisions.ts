import { z } from 'zod';
import {
  approvalInput,
  type CompanyUseCases,
  declineInput,
  grantableScopes,
  narrowingInput,
  type ReceivedRequest,
} from '#core';
import type { ErrorCode } from '#http';
import {
  presentReceivedRequest,
  receivedRequestSchema,
  requestParameters,
  termsField,
} from '../access-request.ts';
import type { CompanyEndpoint } from '../context.ts';
import { endpoint } from '../endpoint.ts';
import { bodyRefusals } from '../errors.ts';
import { exampleIds } from '../example-ids.ts';
import { instantParameter, withExample } from '../schemas.ts';
import { pendingExample } from './access-requests.ts';

const { scopes, version } = approvalInput.shape;
const { reason } = declineInput.shape;

const decidedAt = '2026-11-03T14:05:00.000Z';
const decidedVersion = 'ver_019ba4c2d3e47f508192a3b4c5d6e7f8';
const expiresAt = '2035-12-31T23:59:59.000Z';

const decided = {
  ...pendingExample,
  version: decidedVersion,
  decided_at: decidedAt,
  answer_by: null,
};
const approved = {
  ...decided,
  approved_scopes: ['metrics:read'],
  status: 'approved',
  expires_at: expiresAt,
} as const;
const extended = { ...approved, expires_at: '2036-12-31T23:59:59.000Z' };
const narrowed = {
  ...extended,
  approved_terms: {
    metric_keys: ['arr', 'cash_balance'],
    history_from: '2026-01-01',
    use: 'ongoing',
  },
} as const;

const examples = {
  approved,
  extended,
  narrowed,
  paused: { ...narrowed, paused_at: decidedAt },
  declined: {
    ...decided,
    id: exampleIds.alsoWaiting,
    investor: { id: 'inv_019aa1b2c3d47e5f8a9b0c1d2e3f4a5c', name: 'Northlight Ventures' },
    status: 'declined',
    ended_at: decidedAt,
    reason: 'Please ask again after the closing.',
  },
  revoked: {
    ...narrowed,
    status: 'revoked',
    reason: 'Please ask again after the closing.',
    ended_at: decidedAt,
  },
} as const;

const versionNote =
  'Send the `version` that you have read. If the request has changed since then, the decision is refused with `request_changed`. You can leave out `version` only if the investor has never changed the request.';

const outcome = (
  example: (typeof examples)[keyof typeof examples],
  ...refusals: readonly ErrorCode[]
) => ({
  tag: 'Decisions',
  parameters: requestParameters(example.id),
  responses: {
    200: { description: 'The request after the decision.', schema: receivedRequestSchema, example },
  },
  refusals: [
    ...bodyRefusals,
    'access_request_not_found',
    'illegal_transition',
    ...refusals,
  ] as const,
});

const scopesOf = (input: z.ZodType) =>
  z
    .array(z.enum(grantableScopes))
    .nullish()
    .meta(input.meta() ?? {});

const answer = (decided: ReceivedRequest) => ({
  status: 200,
  body: presentReceivedRequest(decided),
});

export const decisionEndpoints = (useCases: CompanyUseCases): CompanyEndpoint[] => [
  endpoint({
    ...outcome(examples.approved, 'request_changed', 'invalid_decision'),
    method: 'POST',
    path: '/access-requests/{id}/approve',
    id: 'approveAccessRequest',
    summary: 'Approve a request or a part of it',
    description: `Approves the scopes that you name, or all of them. Each term that you name must be as requested or narrower. All other terms are as requested. If a grant has \`pending_scopes\`, approves the pending scopes that you name, or all of them, and drops the others. If your company requires two approvals, the request waits until a second person approves the same content. ${versionNote}`,
    body: z
      .object({
        version,
        scopes: scopesOf(scopes),
        terms: termsField,
        expiresAt: instantParameter.nullish().meta({
          description:
            'The end of the grant. Default: the present end, or for a new grant the default of this service.',
        }),
        reason,
      })
      .meta({
        id: 'Approval',
        example: {
          version: exampleIds.waitingVersion,
          scopes: ['metrics:read'],
          expires_at: '2035-12-31T23:59:59Z',
        },
      }),
    handle: async ({ caller }, input) => answer(await useCases.approveRequest(caller, input)),
  }),
  endpoint({
    ...outcome(examples.extended, 'request_changed', 'invalid_decision'),
    method: 'POST',
    path: '/access-requests/{id}/extend',
    id: 'extendAccessRequest',
    summary: 'Extend a grant',
    description: `The new end must be later than the present one. ${versionNote}`,
    body: z
      .object({ version, expiresAt: withExample(instantParameter, '2036-12-31T23:59:59Z') })
      .meta({ id: 'Extension', example: { expires_at: '2036-12-31T23:59:59Z' } }),
    handle: async ({ caller }, input) => answer(await useCases.extendRequest(caller, input)),
  }),
  endpoint({
    ...outcome(examples.narrowed, 'request_changed', 'invalid_decision'),
    method: 'POST',
    path: '/access-requests/{id}/narrow',
    id: 'narrowAccessRequest',
    summary: 'Narrow a grant',
    description:
      'Takes scopes out of a grant, or narrows its terms. Terms that you don’t name stay as they are. The narrower grant applies to the next read. If you send `version` and the request has changed since then, the call is refused with `request_changed`.',
    body: z
      .object({ version, scopes: scopesOf(narrowingInput.shape.scopes), terms: termsField })
      .meta({ id: 'Narrowing', example: { terms: examples.narrowed.approved_terms } }),
    handle: async ({ caller }, input) => answer(await useCases.narrowRequest(caller, input)),
  }),
  endpoint({
    ...outcome(examples.paused),
    method: 'POST',
    path: '/access-requests/{id}/pause',
    id: 'pauseAccessRequest',
    summary: 'Pause a grant',
    description:
      'As soon as you have the response, new reads are refused with `access_paused`, until you resume the grant. The end of the grant stays the same.',
    handle: async ({ caller }, input) => answer(await useCases.pauseRequest(caller, input)),
  }),
  endpoint({
    ...outcome(examples.narrowed),
    method: 'POST',
    path: '/access-requests/{id}/resume',
    id: 'resumeAccessRequest',
    summary: 'Resume a paused grant',
    description: 'Reads are allowed again.',
    handle: async ({ caller }, input) => answer(await useCases.resumeRequest(caller, input)),
  }),
  endpoint({
    ...outcome(examples.revoked),
    method: 'POST',
    path: '/access-requests/{id}/revoke',
    id: 'revokeAccessRequest',
    summary: 'Revoke a grant',
    description: 'As soon as you have the response, new reads are refused.',
    body: z.object({ reason }).meta({
      id: 'Revocation',
      example: { reason: 'Please ask again after the closing.' },
    }),
    handle: async ({ caller }, input) => answer(await useCases.revokeRequest(caller, input)),
  }),
  endpoint({
    ...outcome(examples.declined, 'request_changed'),
    method: 'POST',
    path: '/access-requests/{id}/decline',
    id: 'declineAccessRequest',
    summary: 'Decline a request',
    description: `Ends a pending request. If a grant has \`pending_scopes\` or \`pending_terms\`, drops them and keeps the grant. ${versionNote}`,
    body: z.object({ version, reason }).meta({
      id: 'Decline',
      example: {
        version: exampleIds.alsoWaitingVersion,
        reason: 'Please ask again after the closing.',
      },
    }),
    handle: async ({ caller }, input) => answer(await useCases.declineRequest(caller, input)),
  }),
];
