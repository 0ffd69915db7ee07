import { z } from 'zod';
import {
  type AccessRequest,
  accessRequestInput,
  amendAccessRequestInput,
  awaitsDecision,
  listAccessRequestsInput,
  receiptsInput,
  requestAccessInput,
  withdrawAccessRequestInput,
} from '#core';
import { presentAccessEvent, presentAccessRequest, presentReceipt } from '#http';
import { maxWaitSeconds, readArgument } from './arguments.ts';
import { tool } from './tool.ts';

const timeoutSeconds = z.int().min(1).max(maxWaitSeconds).optional();

const answer = async (request: Promise<AccessRequest>) => ({
  accessRequest: presentAccessRequest(await request),
});

function describeLimits(terms: z.output<typeof requestAccessInput>['terms']): string {
  const { metricKeys, historyFrom, use } = terms ?? {};
  const limits = [
    metricKeys ? `only ${metricKeys.join(', ')}` : [],
    historyFrom ? `from ${historyFrom}` : [],
    use === 'once' ? 'for one use' : [],
  ].flat();
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`;
}

export const accessRequestTools = [
  tool({
    name: 'request_access',
    title: 'Request access to a company',
    description:
      'Requests access to a company’s data. People at the company are notified and decide in their own time, often within days. State the real use of the data in purpose. If a live request already covers the scopes and the terms, that request is returned. Use amend_access_request to add to that request.',
    effect: 'asks',
    consent: {
      question: ({ companyId, scopes, purpose, terms }) =>
        `Request access to ${scopes.join(', ')} of ${companyId}${describeLimits(terms)}? ${purpose ? `Purpose: ${purpose}` : 'Without a purpose.'}`,
      declined: { outcome: 'declined', replayed: false, accessRequest: null },
    },
    input: requestAccessInput,
    async call({ useCases, caller }, input) {
      const { outcome, replayed, accessRequest } = await useCases.requestAccess(caller, input);
      return { outcome, replayed, accessRequest: presentAccessRequest(accessRequest) };
    },
  }),
  tool({
    name: 'list_access_requests',
    title: 'List access requests',
    description:
      'Lists a page of your access requests, newest first, with their present status. While hasMore is true, call again with nextCursor as cursor.',
    effect: 'reads',
    input: listAccessRequestsInput,
    async call({ useCases, caller }, input) {
      const { items, nextCursor } = await useCases.listAccessRequests(caller, input);
      const accessRequests = items.map(presentAccessRequest);
      return { accessRequests, hasMore: nextCursor !== null, nextCursor };
    },
  }),
  tool({
    name: 'get_access_request',
    title: 'Get an access request',
    description:
      'Returns one of your access requests with its status, the granted scopes and terms, and the end of the grant.',
    effect: 'reads',
    input: accessRequestInput,
    call: ({ useCases, caller }, input) => answer(useCases.readAccessRequest(caller, input)),
  }),
  tool({
    name: 'amend_access_request',
    title: 'Add scopes or terms to an access request',
    description:
      'Adds scopes or wider terms to one of your live access requests. A pending request then includes them. A grant stays in force, and they wait in pendingScopes and pendingTerms for the company’s decision.',
    effect: 'asks',
    input: amendAccessRequestInput,
    call: ({ useCases, caller }, input) => answer(useCases.amendAccessRequest(caller, input)),
  }),
  tool({
    name: 'withdraw_access_request',
    title: 'Withdraw a request or give up a grant',
    description:
      'Withdraws one of your pending access requests, or gives up its grant. After that, the grant no longer allows reads of the company’s data.',
    effect: 'gives up',
    input: withdrawAccessRequestInput,
    call: ({ useCases, caller }, input) => answer(useCases.withdrawAccessRequest(caller, input)),
  }),
  tool({
    name: 'get_access_request_history',
    title: 'Get the history of an access request',
    description:
      'Returns the newest 100 changes of one of your access requests, oldest first, with actor and reason.',
    effect: 'reads',
    input: accessRequestInput,
    async call({ useCases, caller }, input) {
      const events = await useCases.readAccessRequestHistory(caller, input);
      return { history: events.map(presentAccessEvent) };
    },
  }),
  tool({
    name: 'list_consent_receipts',
    title: 'List consent receipts',
    description:
      'Lists the signed receipts of one of your access requests, oldest first. Each is a compact JWS that can be verified later without this service.',
    effect: 'reads',
    input: receiptsInput,
    async call({ useCases, caller }, input) {
      const page = await useCases.readReceipts(caller, input);
      const { items, nextCursor, awaitsSignature, head } = page;
      return { receipts: items.map(presentReceipt), nextCursor, awaitsSignature, head };
    },
  }),
];

export const waitForDecision = tool({
  name: 'wait_for_decision',
  title: 'Wait for a decision',
  description:
    'Waits until the company decides on one of your access requests or on an addition to a grant, or until the request ends. If there is no decision after timeoutSeconds, returns isDecided false. Then call this tool again if your user wants to wait, or come back later.',
  effect: 'reads',
  waits: true,
  input: accessRequestInput.extend({ timeoutSeconds }),
  async call({ useCases, caller, leaving }, input) {
    const seconds = readArgument(timeoutSeconds, input, 'timeoutSeconds') ?? maxWaitSeconds;
    const ending = AbortSignal.any([leaving, AbortSignal.timeout(seconds * 1000)]);
    const request = await useCases.waitForDecision(caller, input, ending);
    return {
      isDecided: !awaitsDecision(request),
      accessRequest: presentAccessRequest(request),
    };
  },
});
