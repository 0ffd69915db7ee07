import assert from 'node:assert/strict';
import { errorTable, type RefusalCode } from './contract.ts';
import type { Answer } from './http-client.ts';
import { requireNoSecrets } from './secrets.ts';

/** Checks the API contract's promises for every answer. The error names the HTTP request. */
export function checkAnswerRules(answer: Answer, publicUrl: string): void {
  const { method, path, status, text, body } = answer;
  const where = `${method} ${path.slice(0, 200)} → ${status}`;
  checkHeaders(answer, body?.error?.code === 'missing_api_key', where);
  if (method === 'HEAD' || status === 204 || status === 304) {
    assert.equal(text, '', `${where}: a body where none may be`);
  } else if (status >= 400 && !path.startsWith('/readyz')) {
    checkEnvelope(answer, where, publicUrl);
    requireNoSecrets(text, where);
  }
  if (status < 400) assert.equal(body?.error, undefined, `${where}: an error with a good status`);
}

/** Checks the headers that answers have in every protocol. */
export function checkHeaders(
  { method, status, headers }: Pick<Answer, 'method' | 'status' | 'headers'>,
  isMissingKey: boolean,
  where: string,
): void {
  assert.match(
    headers['svc-request-id'] as string,
    /^req_[0-9a-zA-Z]{16,}$/,
    `${where}: Svc-Request-Id`,
  );
  const limit = wholeNumber(headers['ratelimit-limit'], `${where}: RateLimit-Limit`);
  const remaining = wholeNumber(headers['ratelimit-remaining'], `${where}: RateLimit-Remaining`);
  const reset = wholeNumber(headers['ratelimit-reset'], `${where}: RateLimit-Reset`);
  checkStructuredBudget(headers, [limit, remaining, reset], where);
  assert.ok(remaining <= limit, `${where}: more remaining than the limit`);

  const waits = status === 429 || status === 503;
  assert.equal('retry-after' in headers, waits, `${where}: Retry-After is on 429 and 503 only`);
  if (waits) wholeNumber(headers['retry-after'], `${where}: Retry-After`);
  if (status === 429) {
    assert.equal(headers['retry-after'], headers['ratelimit-reset'], `${where}: Retry-After`);
    assert.equal(remaining, 0, `${where}: RateLimit-Remaining`);
  }
  if (status === 401 && method !== 'HEAD') {
    const expected = isMissingKey ? /^Bearer(?! error)/ : /^Bearer error="invalid_token"/;
    assert.match(headers['www-authenticate'] ?? '', expected, where);
  }
  if (status === 405) assert.match(headers.allow ?? '', /\b(GET|POST)\b/, `${where}: Allow`);
}

export function checkMessage(message: string, where: string): void {
  assert.ok(message.length > 0, `${where}: message`);
  const internals =
    /\bat .*:\d+|node_modules|(?<!must (?:not )?)select |insert |\bECONN|\.ts\b|\bzod(?:error)?\b/i;
  assert.doesNotMatch(message, internals, where);
}

/** The two rate limit headers of the IETF draft must match the three older ones. */
function checkStructuredBudget(
  { 'ratelimit-policy': policy, ratelimit }: Answer['headers'],
  [limit, remaining, reset]: readonly [number, number, number],
  where: string,
): void {
  assert.match(String(policy), new RegExp(`^"key";q=${limit};w=[1-9]\\d*$`), `${where}: policy`);
  assert.equal(ratelimit, `"key";r=${remaining};t=${reset}`, `${where}: RateLimit`);
}

function checkEnvelope({ status, headers, body }: Answer, where: string, publicUrl: string): void {
  assert.match(headers['content-type'] ?? '', /^application\/json\b/, `${where}: Content-Type`);
  assert.deepEqual(Object.keys(body), ['error'], `${where}: envelope`);
  const { error } = body;
  const additions = ['param', 'allowed', 'access_request_id', 'details', 'bad_records'];
  assert.deepEqual(
    Object.keys(error)
      .filter((name) => !additions.includes(name))
      .sort(),
    ['code', 'documentation_url', 'message', 'request_id', 'type'],
    `${where}: fields of the error`,
  );
  const known = errorTable[error.code as RefusalCode];
  assert.ok(known, `${where}: the code ${error.code} is in no table`);
  // A malformed HTTP request gets a general code, so its status can be more precise.
  const isUnreadable = status === 408 || status === 431;
  assert.deepEqual(
    [isUnreadable ? known[0] : status, error.type],
    [...known],
    `${where}: status and type of ${error.code}`,
  );
  assert.equal(error.request_id, headers['svc-request-id'], `${where}: request_id`);
  assert.equal(error.documentation_url, `${publicUrl}/docs/errors#${error.code}`, where);
  checkMessage(error.message, where);
}

function wholeNumber(value: string | string[] | undefined, what: string): number {
  assert.ok(
    typeof value === 'string' && /^\d+$/.test(value),
    `${what} is ${JSON.stringify(value)}`,
  );
  return Number(value);
}
