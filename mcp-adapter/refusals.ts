import { z } from 'zod';
import type { ConsentStep } from '#core';
import {
  type Answering,
  type CallerRefusal,
  describeRefusal,
  type ErrorCode,
  errorAnswers,
} from '#http';

// Short, because every tool's schema repeats it.
const error = z.object({
  type: z.string(),
  code: z.string(),
  message: z.string(),
  requestId: z.string(),
  documentationUrl: z.string(),
  nextStep: z.string().meta({ description: 'What to do about it.' }),
  param: z.string().optional(),
  allowed: z.union([z.array(z.string()).readonly(), z.looseObject({})]).optional(),
  accessRequestId: z.string().optional(),
  retryAfterSeconds: z.number().optional(),
});

/** The result of a refused tool call. */
export const refusedAnswer = z.object({ error });

/** The advice for codes that tools solve better than REST endpoints. */
const steps: Partial<Record<ErrorCode, string>> = {
  company_not_found: 'Use the id of a company of the portfolio, exactly as it was listed.',
  access_request_not_found: 'Use an id from list_access_requests.',
  metric_not_found: 'Use a key from read_metrics.',
  illegal_transition:
    'Look at the request with get_access_request: its state tells what can still be done.',
  request_conflict: 'Call the same tool with the same arguments again.',
  idempotency_key_in_use: 'Wait a moment, then call the same tool with the same arguments again.',
  idempotency_key_reused: 'Use a new idempotencyKey for a new request.',
  route_not_found: 'Use a tool or a method that this server lists.',
  batch_too_large: 'Send each message in a request of its own.',
  rate_limit_exceeded: 'Wait for retryAfterSeconds, then make the same call again.',
  service_unavailable: 'Wait for retryAfterSeconds, then make the same call again.',
};

const consentSteps: Readonly<Record<ConsentStep, string>> = {
  request: 'Ask the company for access with request_access, then wait for its decision.',
  amend:
    'Ask for it in addition with amend_access_request and this accessRequestId, then wait for the decision. request_access does not ask for more.',
  wait: 'Wait for the company: get_access_request tells what became of the request. To ask again changes nothing.',
  'talk before requesting':
    'Do not ask again by yourself. Tell your user what the company has decided: people should talk, and a new request is for them to decide on.',
  'talk before amending':
    'Do not ask again by yourself. Tell your user what the company has decided: people should talk, and whether to ask once more with amend_access_request is for them to decide.',
};

/** Describes a refusal for agents, the same in tool results and in JSON-RPC errors. */
export function presentRefusal(
  refusal: CallerRefusal,
  answering: Answering,
): z.output<typeof error> {
  const { retryAfterSeconds, ...description } = describeRefusal(refusal, answering, null);
  const { code, nextStep } = refusal;
  return {
    ...description,
    nextStep: nextStep ? consentSteps[nextStep] : (steps[code] ?? errorAnswers[code].remedy),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}
