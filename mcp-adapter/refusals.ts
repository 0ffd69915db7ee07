import { z } from 'zod';
import { type Answering, describeRefusal, type ErrorCode, type Refusal, remedyOf } from '#http';

// Every tool repeats it, so it is said in few words.
const error = z.object({
  type: z.string(),
  code: z.string(),
  message: z.string(),
  requestId: z.string(),
  documentationUrl: z.string(),
  nextStep: z.string().meta({ description: 'What to do about it.' }),
  retryAfterSeconds: z.number().optional(),
});

/** What a tool answers instead of anything else when it is refused. */
export const refusedAnswer = z.object({ error });

/** What an agent does about a code, where its tools are a shorter way than the endpoints of REST. */
const steps: Partial<Record<ErrorCode, string>> = {
  access_required: 'Ask the company for access with request_access, then wait for its decision.',
  access_pending:
    'Wait for the company: get_access_request tells what became of the request. To ask again changes nothing.',
  access_revoked:
    'Do not ask again by yourself. Tell your user that the company has taken its consent back; a new request is for people to decide on.',
  company_not_found: 'Use the id of a company of the portfolio, exactly as it was listed.',
  access_request_not_found: 'Use an id from list_access_requests.',
  metric_not_found: 'Use a key from read_metrics.',
  scope_conflict:
    'Find the live request with list_access_requests and ask for more with amend_access_request, or wait until it has ended.',
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

/** A refusal as agents read it, in the answer of a tool and in an error of JSON-RPC alike. */
export function presentRefusal(refusal: Refusal, answering: Answering): z.output<typeof error> {
  const { retryAfterSeconds, ...description } = describeRefusal(refusal, answering);
  return {
    ...description,
    nextStep: steps[refusal.code] ?? remedyOf[refusal.code],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}
