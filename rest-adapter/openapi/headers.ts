import { z } from 'zod';
import { type Described, isReading } from '../endpoint.ts';

const header = (id: string, text: string, schema: z.ZodType) =>
  schema.meta({ description: text, header: { id, required: true } });

const common = z.object({
  'Svc-Request-Id': header(
    'Svc-Request-Id',
    'ID of this request. Send the ID when you contact us.',
    z.string(),
  ),
  'RateLimit-Limit': header('RateLimit-Limit', 'Requests allowed per window for the key.', z.int()),
  'RateLimit-Remaining': header(
    'RateLimit-Remaining',
    'Requests left in the current window.',
    z.int(),
  ),
  'RateLimit-Reset': header('RateLimit-Reset', 'Seconds until the window resets.', z.int()),
  'RateLimit-Policy': header(
    'RateLimit-Policy',
    'The limit (`q`) and the seconds of its window (`w`), in the form of the IETF’s draft.',
    z.string(),
  ),
  RateLimit: header(
    'RateLimit',
    'The points left (`r`) and the seconds until the window resets (`t`), in the form of the IETF’s draft.',
    z.string(),
  ),
});

const etag = header('ETag', 'Identifies the content of the body.', z.string());
const retryAfter = header('Retry-After', 'Seconds to wait before the next try.', z.int());
const authenticate = header(
  'WWW-Authenticate',
  '`Bearer`, with `error="invalid_token"` if a credential was sent and refused. If the service accepts tokens, `resource_metadata` is the URL that names the authorization server (RFC 9728).',
  z.string(),
);

const replayed = z
  .literal('true')
  .optional()
  .meta({
    description: 'Present if the request was already carried out under the same Idempotency-Key.',
    header: { id: 'Idempotent-Replayed' },
  });

export function answerHeaders(endpoint: Described) {
  if (isReading(endpoint)) return common.extend({ ETag: etag });
  return endpoint.headers ? common.extend({ 'Idempotent-Replayed': replayed }) : common;
}

export function refusalHeaders(status: number) {
  if (status === 401) return common.extend({ 'WWW-Authenticate': authenticate });
  if (status === 429 || status === 503) return common.extend({ 'Retry-After': retryAfter });
  return common;
}
