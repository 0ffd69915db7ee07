import { z } from 'zod';
import {
  AccessError,
  documentationUrl,
  type ErrorCode,
  errorCodes,
  errorTypes,
  toAccessError,
} from '#core';

/** The status of each code. Total: the compiler refuses a code without one. */
export const statusOf = {
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_scope: 403,
  access_required: 403,
  access_pending: 403,
  access_revoked: 403,
  company_not_found: 404,
  access_request_not_found: 404,
  metric_not_found: 404,
  invalid_query: 400,
  query_too_long: 400,
  query_too_deep: 400,
  query_too_many_aliases: 400,
  query_too_costly: 400,
  batch_too_large: 400,
  introspection_disabled: 400,
  route_not_found: 404,
  method_not_allowed: 405,
  malformed_json: 400,
  invalid_parameter: 400,
  payload_too_large: 413,
  unsupported_media_type: 415,
  missing_company_id: 422,
  missing_scopes: 422,
  invalid_scope: 422,
  scope_conflict: 409,
  request_conflict: 409,
  idempotency_key_reused: 422,
  idempotency_key_in_use: 409,
  rate_limit_exceeded: 429,
  not_implemented: 501,
  service_unavailable: 503,
  internal_error: 500,
} as const satisfies Record<ErrorCode, number>;

/** How the gate can refuse the reading of a company's data. */
export const gateRefusals = [
  'insufficient_scope',
  'access_required',
  'access_pending',
  'access_revoked',
  'company_not_found',
] as const satisfies readonly ErrorCode[];

export const errorEnvelopeSchema = z
  .object({
    error: z.object({
      type: z.enum(errorTypes),
      code: z.enum(errorCodes as [ErrorCode, ...ErrorCode[]]).meta({
        description: 'Machine-readable. Branch on this, never on the message.',
      }),
      message: z.string().meta({ description: 'For people; may change at any time.' }),
      request_id: z.string().meta({ description: 'The same as in the header Svc-Request-Id.' }),
      documentation_url: z.url().meta({ description: 'What the code means and what to do.' }),
    }),
  })
  .meta({ id: 'Error', description: 'Every refusal has this form.' });

type ErrorEnvelope = z.output<typeof errorEnvelopeSchema>;

export interface ErrorPresentation {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorEnvelope;
}

/** A refusal in REST's form. */
export function presentError(
  error: AccessError,
  requestId: string,
  publicUrl: string,
): ErrorPresentation {
  const status = statusOf[error.code];
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (error.retryAfterSeconds !== undefined)
    headers['retry-after'] = String(error.retryAfterSeconds);
  return {
    status,
    headers,
    body: {
      error: {
        type: error.type,
        code: error.code,
        message: error.message,
        request_id: requestId,
        documentation_url: documentationUrl(error.code, publicUrl),
      },
    },
  };
}

/** What the HTTP framework itself refuses, by its own codes. */
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_json',
};

/** The refusal that a thrown thing amounts to, those of the framework included. */
export function refusalOf(error: unknown): AccessError {
  const frameworkCode = (error as { code?: unknown } | null)?.code;
  const code = typeof frameworkCode === 'string' ? frameworkCodes[frameworkCode] : undefined;
  return code === undefined ? toAccessError(error) : new AccessError(code, { cause: error });
}
