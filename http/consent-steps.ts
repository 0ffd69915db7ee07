import type { ConsentStep } from '#core';
import type { CallerRefusal } from './errors.ts';

/** The calls for requesting access, as a protocol names them. */
export interface ConsentCalls {
  readonly request: string;
  amend(requestId: string): string;
  read(requestId: string): string;
}

/** The calls of REST. */
export const restCalls: ConsentCalls = {
  request: 'POST /v1/access-requests',
  amend: (requestId) => `PATCH /v1/access-requests/${requestId}`,
  read: (requestId) => `GET /v1/access-requests/${requestId}`,
};

const steps: Readonly<Record<ConsentStep, (calls: ConsentCalls, requestId: string) => string>> = {
  request: ({ request }) => `Ask for it with ${request}.`,
  amend: ({ amend }, requestId) => `Ask for it in addition with ${amend(requestId)}.`,
  wait: ({ read }, requestId) => `Wait for its answer, which ${read(requestId)} shows.`,
  'talk before requesting': ({ request }) =>
    `People should talk with the company before it is asked again (${request}).`,
  'talk before amending': ({ amend }, requestId) =>
    `People should talk with the company before it is asked again (${amend(requestId)}).`,
};

/** Returns the message of a refusal, with the next step in the protocol's own terms. */
export function messageOf(
  { message, nextStep, details }: Pick<CallerRefusal, 'message' | 'nextStep' | 'details'>,
  calls: ConsentCalls,
): string {
  if (nextStep === undefined) return message;
  return `${message} ${steps[nextStep](calls, details.accessRequestId ?? '')}`;
}
