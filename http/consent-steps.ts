import type { ConsentStep } from '#core';
import type { CallerRefusal } from './errors.ts';

/** The names that a protocol uses for its operations on access requests. */
export interface ConsentCalls {
  readonly request: string;
  amend(requestId: string): string;
  read(requestId: string): string;
}

export const restCalls: ConsentCalls = {
  request: 'POST /v1/access-requests',
  amend: (requestId) => `PATCH /v1/access-requests/${requestId}`,
  read: (requestId) => `GET /v1/access-requests/${requestId}`,
};

const steps: Readonly<Record<ConsentStep, (calls: ConsentCalls, requestId: string) => string>> = {
  request: ({ request }) => `Request it with ${request}.`,
  amend: ({ amend }, requestId) => `Request it with ${amend(requestId)}.`,
  'amend terms': ({ amend }, requestId) => `Request wider terms with ${amend(requestId)}.`,
  wait: ({ read }, requestId) => `Wait for the answer: ${read(requestId)} shows it.`,
  'talk before requesting': ({ request }) =>
    `Talk to the company before you ask again with ${request}.`,
  'talk before amending': ({ amend }, requestId) =>
    `Talk to the company before you ask again with ${amend(requestId)}.`,
};

/** Returns the message of a refusal, followed by the next step that the caller can take. */
export function describeWithNextStep(
  { message, nextStep, details }: Pick<CallerRefusal, 'message' | 'nextStep' | 'details'>,
  calls: ConsentCalls,
): string {
  if (nextStep === undefined) return message;
  return `${message} ${steps[nextStep](calls, details.accessRequestId ?? '')}`;
}
