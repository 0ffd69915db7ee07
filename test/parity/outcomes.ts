import { expect } from 'vitest';
import { type AccessEvent, type AccessRequest, answerBy, findEndedAt } from '#core';
import type { RefusalCode } from '../support/contract.ts';
import type {
  NormalizedAccessRequest,
  NormalizedEvent,
  Outcome,
  Refused,
} from './drivers/driver.ts';

/** Throws if the answer is a refusal. */
export function dataOf<Data>(outcome: Outcome<Data>): Data {
  if (outcome.ok) return outcome.data;
  throw new Error(`refused with ${outcome.code}: ${outcome.wire.text}`);
}

export function expectRefused(outcome: Outcome<unknown>, code: RefusalCode): Refused {
  if (outcome.ok) throw new Error(`not refused with ${code}: ${outcome.wire.text}`);
  expect(outcome.code).toBe(code);
  return outcome;
}

/** Returns everything that must not differ between requests. */
export function bytesOf({ wire: { status, headers, text } }: Refused): string {
  const {
    date: _,
    'ratelimit-remaining': __,
    'ratelimit-reset': ___,
    ratelimit: ____,
    ...others
  } = headers;
  const whole = JSON.stringify({ status, headers: others, text });
  return whole.replaceAll(headers['svc-request-id'] ?? '', '(id)');
}

export function normalizeRequest(request: AccessRequest): NormalizedAccessRequest {
  const { id, companyId, requestedScopes, approvedScopes, pendingScopes, status } = request;
  return {
    id,
    companyId,
    requestedScopes,
    approvedScopes,
    pendingScopes,
    status,
    purpose: request.purpose,
    pendingPurpose: request.pendingPurpose,
    reason: request.reason,
    decidedAt: request.decidedAt?.toISOString() ?? null,
    expiresAt: request.expiresAt?.toISOString() ?? null,
    requestedTerms: request.requestedTerms,
    approvedTerms: request.approvedTerms,
    pendingTerms: request.pendingTerms,
    pausedAt: request.pausedAt?.toISOString() ?? null,
    endedAt: findEndedAt(request)?.toISOString() ?? null,
    answerBy: answerBy(request)?.toISOString() ?? null,
    createdAt: request.createdAt.toISOString(),
  };
}

export function normalizeEvent({
  type,
  createdAt,
  actor,
  reason,
  accessRequest,
}: AccessEvent): NormalizedEvent {
  const { approvedScopes, expiresAt } = normalizeRequest(accessRequest);
  return {
    type,
    createdAt: createdAt.toISOString(),
    actor: { ...actor },
    reason,
    approvedScopes,
    expiresAt,
  };
}
