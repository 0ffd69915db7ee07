import type { RefusalCode } from '../../support/contract.ts';
import type { Json } from '../../support/http-client.ts';
import type { TestService } from '../../support/service.ts';
import type { Outcome } from './driver.ts';
import { detailsInSnakeCase } from './refusal-details.ts';
import { normalizeAccessRequest, parseExactly } from './rest-normalize.ts';
import { wireOf } from './wire.ts';

/** Exists only in REST. The answers are checked against its OpenAPI document. */
export interface CompanyDriver {
  readonly name: 'REST for companies';
  readonly protocol: 'rest';
  get(key: string, path: string): Promise<Outcome<Json>>;
  post(key: string, path: string, body?: object): Promise<Outcome<Json>>;
}

export function createCompanyDriver({ call }: Pick<TestService, 'call'>): CompanyDriver {
  async function exchange(method: string, key: string, path: string, body?: object) {
    const answer = await call(method, `/company/v1${path}`, { key, ...(body && { body }) });
    const wire = wireOf(answer);
    const { error } = answer.body;
    if (error === undefined) return { ok: true, data: parseExactly(answer.text), wire } as const;
    const { type, code, message, request_id, documentation_url } = error;
    return {
      ok: false,
      code: code as RefusalCode,
      message,
      documentationUrl: documentation_url,
      envelope: { type, requestId: request_id },
      details: detailsInSnakeCase(error),
      wire,
    } as const;
  }
  return {
    name: 'REST for companies',
    protocol: 'rest',
    get: (key, path) => exchange('GET', key, path),
    post: (key, path, body) => exchange('POST', key, path, body),
  };
}

/**
 * Converts an access request of the company API into the form of the other drivers. Only the
 * existence of the version is checked.
 */
export function normalizeReceived({ investor, history, version, approvals: _, ...request }: Json) {
  if (typeof version !== 'string') throw new Error(`the request ${request.id} has no version`);
  const { reason, decided_at, ...rest } = request;
  const told = normalizeAccessRequest({
    ...rest,
    ...(reason !== null && { reason }),
    ...(decided_at !== null && { decided_at }),
  });
  return { ...told, investor, ...(history && { history: history.map(normalizeTransition) }) };
}

const normalizeTransition = ({ created_at, approved_scopes, expires_at, ...event }: Json) => ({
  ...event,
  createdAt: created_at,
  approvedScopes: approved_scopes,
  expiresAt: expires_at,
});
