import { z } from 'zod';
import {
  type AccessRequest,
  accessEventTypes,
  accessRequestInput,
  accessRequestStatuses,
  actorTypes,
  amendAccessRequestInput,
  endDescriptions,
  listAccessRequestsInput,
  receiptsInput,
  requestAccessInput,
  signInWays,
  withdrawAccessRequestInput,
} from '#core';
import { presentAccessEvent, presentAccessRequest, presentReceipt } from '#http';
import { companyId, instant, scopes } from './schemas.ts';
import { tool } from './tool.ts';

export const accessRequest = z.object({
  id: z.string(),
  companyId,
  requestedScopes: scopes,
  approvedScopes: scopes.meta({ description: 'What the company approved; empty until it has.' }),
  pendingScopes: scopes.meta({
    description: 'What is asked for in addition to a grant, and not decided on.',
  }),
  status: z.enum(accessRequestStatuses),
  purpose: z.string().nullable(),
  pendingPurpose: z.string().nullable().meta({ description: 'What the addition is for.' }),
  reason: z.string().nullable().meta({ description: 'Why the company declined or revoked.' }),
  decidedAt: instant.nullable(),
  expiresAt: instant.nullable().meta({ description: 'The end of the grant, in RFC 3339.' }),
  endedAt: instant.nullable().meta({ description: endDescriptions.endedAt }),
  answerBy: instant.nullable().meta({ description: endDescriptions.answerBy }),
  createdAt: instant,
});

const accessEvent = z.object({
  type: z.enum(accessEventTypes),
  createdAt: instant,
  actor: z.object({
    type: z.enum(actorTypes),
    id: z.string().nullable(),
    signedInBy: z.enum(signInWays).optional().meta({ description: 'How a contact signed in.' }),
  }),
  reason: z.string().nullable(),
  approvedScopes: scopes.meta({ description: 'What was approved right after it.' }),
  expiresAt: instant.nullable(),
});

const output = z.object({ accessRequest });

const answer = async (request: Promise<AccessRequest>) => ({
  accessRequest: presentAccessRequest(await request),
});

export const accessRequestTools = [
  tool({
    name: 'request_access',
    title: 'Ask a company for access',
    description:
      'Asks a company for access to its data. People there are told, and decide in their own time, often in days. Say truly in purpose what the data is for. Asking again for what a live request covers finds that request; to ask for more, amend it.',
    effect: 'asks',
    consent: {
      question: ({ companyId, scopes, purpose }) =>
        `Ask ${companyId} for access to ${scopes.join(', ')}? ${purpose ? `Purpose: ${purpose}` : 'Without a purpose.'}`,
      declined: { outcome: 'declined', replayed: false, accessRequest: null },
    },
    input: requestAccessInput,
    output: z.object({
      accessRequest: accessRequest.nullable().meta({ description: 'Null if your user declined.' }),
      outcome: z
        .enum(['created', 'existing', 'declined'])
        .meta({ description: 'declined: your user did not agree, and no request was sent.' }),
      replayed: z.boolean().meta({
        description: 'Whether this repeats what the same idempotencyKey was told before.',
      }),
    }),
    async call({ useCases, caller }, input) {
      const { outcome, replayed, accessRequest } = await useCases.requestAccess(caller, input);
      return { outcome, replayed, accessRequest: presentAccessRequest(accessRequest) };
    },
  }),
  tool({
    name: 'list_access_requests',
    title: 'List access requests',
    description:
      'A page of your access requests, newest first, each with the status that it has now. While hasMore is true there are older ones: call again with nextCursor as cursor.',
    effect: 'reads',
    input: listAccessRequestsInput,
    output: z.object({
      accessRequests: z.array(accessRequest),
      hasMore: z.boolean().meta({ description: 'Whether there are older ones.' }),
      nextCursor: z.string().nullable().meta({ description: 'The cursor of the next page.' }),
    }),
    async call({ useCases, caller }, input) {
      const { items, nextCursor } = await useCases.listAccessRequests(caller, input);
      const accessRequests = items.map(presentAccessRequest);
      return { accessRequests, hasMore: nextCursor !== null, nextCursor };
    },
  }),
  tool({
    name: 'get_access_request',
    title: 'Get an access request',
    description: 'One of your access requests: what became of it, and what was granted until when.',
    effect: 'reads',
    input: accessRequestInput,
    output,
    call: ({ useCases, caller }, input) => answer(useCases.readAccessRequest(caller, input)),
  }),
  tool({
    name: 'amend_access_request',
    title: 'Ask for more',
    description:
      'Asks for more on one of your live access requests. A pending one grows; to a grant the scopes are added as pendingScopes until the company has decided on them, and what is granted goes on.',
    effect: 'asks',
    input: amendAccessRequestInput,
    output,
    call: ({ useCases, caller }, input) => answer(useCases.amendAccessRequest(caller, input)),
  }),
  tool({
    name: 'withdraw_access_request',
    title: 'Withdraw a request, or give a grant up',
    description:
      'Takes one of your pending access requests back, or gives its grant up: nothing of the company can be read under it from then on.',
    effect: 'gives up',
    input: withdrawAccessRequestInput,
    output,
    call: ({ useCases, caller }, input) => answer(useCases.withdrawAccessRequest(caller, input)),
  }),
  tool({
    name: 'get_access_request_history',
    title: 'Get the history of an access request',
    description:
      'Everything that happened to one of your access requests, oldest first, with who did it and why; of more than 100 changes the newest.',
    effect: 'reads',
    input: accessRequestInput,
    output: z.object({ history: z.array(accessEvent) }),
    async call({ useCases, caller }, input) {
      const events = await useCases.readAccessRequestHistory(caller, input);
      return { history: events.map(presentAccessEvent) };
    },
  }),
  tool({
    name: 'list_consent_receipts',
    title: 'List consent receipts',
    description:
      'The signed receipts of one of your access requests, oldest first: each is a compact JWS that anybody can verify later, without this service.',
    effect: 'reads',
    input: receiptsInput,
    output: z.object({
      receipts: z.array(z.object({ id: z.string(), jws: z.string() })),
      nextCursor: z.string().nullable().meta({ description: 'The cursor of the next page.' }),
      awaitsSignature: z.boolean().meta({
        description: 'Whether the next receipt is there and not signed yet.',
      }),
      head: z.string().nullable().meta({
        description:
          'With the last page: which receipts there are, and as of when, as a compact JWS.',
      }),
    }),
    async call({ useCases, caller }, input) {
      const page = await useCases.readReceipts(caller, input);
      const { items, nextCursor, awaitsSignature, head } = page;
      return { receipts: items.map(presentReceipt), nextCursor, awaitsSignature, head };
    },
  }),
];
