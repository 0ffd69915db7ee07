import type { ConsentStep } from '#core';
import {
  type AnswerContext,
  type CallerRefusal,
  describeRefusal,
  type ErrorCode,
  errorAnswers,
  type WriteRefusal,
} from '#http';

/** Next steps for agents, instead of steps that name REST endpoints. */
const steps: Partial<Record<ErrorCode, string>> = {
  company_not_found: 'Use a company ID exactly as list_companies returns it.',
  access_request_not_found: 'Use an ID from list_access_requests.',
  access_paused:
    'Don’t call again until the company resumes the grant. get_company shows this as accessPaused false.',
  metric_not_found: 'Use a key from read_metrics.',
  illegal_transition:
    'Read the request with get_access_request. Its status shows which actions are still possible.',
  request_conflict: 'Call the same tool with the same arguments again.',
  idempotency_key_in_use: 'Wait a moment, then call the same tool with the same arguments again.',
  idempotency_key_reused: 'Use a new idempotencyKey for a new request.',
  route_not_found: 'Use a tool or method that this server lists.',
  batch_too_large: 'Send one message per request.',
  rate_limit_exceeded: 'Wait for retryAfterSeconds, then make the same call again.',
  service_unavailable: 'Wait for retryAfterSeconds, then make the same call again.',
};

const consentSteps: Readonly<Record<ConsentStep, string>> = {
  request: 'Request access with request_access, then wait for the decision.',
  amend:
    'Add the scope with amend_access_request and this accessRequestId, then wait for the decision. request_access doesn’t add scopes.',
  'amend terms':
    'Request wider terms with amend_access_request and this accessRequestId, then wait for the decision. request_access doesn’t change terms.',
  wait: 'Wait for the company. get_access_request shows the decision. Another request changes nothing.',
  'talk before requesting':
    'Don’t request access again on your own. Tell your user about the company’s decision. Your user should contact the company and decide about a new request.',
  'talk before amending':
    'Don’t request access again on your own. Tell your user about the company’s decision. Your user should contact the company and decide whether to call amend_access_request again.',
};

export function presentRefusal(refusal: CallerRefusal, answerContext: AnswerContext) {
  const { retryAfterSeconds, ...description } = describeRefusal(refusal, answerContext, null);
  const { code, nextStep } = refusal;
  return {
    ...description,
    nextStep: nextStep ? consentSteps[nextStep] : (steps[code] ?? errorAnswers[code].remedy),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

/** The error codes that JSON-RPC requires. All other errors have the code `serverError`. */
const numbers: Partial<Record<ErrorCode, number>> = {
  malformed_json: -32_700,
  batch_too_large: -32_600,
  route_not_found: -32_601,
  method_not_allowed: -32_600,
  invalid_parameter: -32_602,
  internal_error: -32_603,
};

const serverError = -32_000;

export const writeRpcError: WriteRefusal = (refusal, answerContext, request) => ({
  body: {
    jsonrpc: '2.0',
    id: idOf(request.body),
    error: {
      code: numbers[refusal.code] ?? serverError,
      message: refusal.message,
      data: presentRefusal(refusal, answerContext),
    },
  },
});

/** Returns null if the body wasn't parsed. */
function idOf(body: unknown): string | number | null {
  const { id = null } = (body ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
