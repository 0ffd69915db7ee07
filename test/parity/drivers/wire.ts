import assert from 'node:assert/strict';
import { checkHeaders, checkMessage } from '../../support/answer-rules.ts';
import { errorTable, type RefusalCode } from '../../support/contract.ts';
import type { Answer, CallOptions } from '../../support/http-client.ts';
import { publicUrl } from '../../support/service.ts';
import type { Credential, Outcome, Refused, Wire } from './driver.ts';

export function wireOf({ status, headers, text }: Answer): Wire {
  return { status, headers: headers as Wire['headers'], text };
}

export function credentialOf(as: Credential): Pick<CallOptions, 'key' | 'headers'> {
  return as !== null && typeof as === 'object' ? { headers: { ...as } } : { key: as };
}

/** Checks every outcome against the rules of all protocols, and records the error codes. */
export interface Rules {
  readonly met: ReadonlySet<RefusalCode>;
  keep<Data>(outcome: Outcome<Data>): Outcome<Data>;
}

/** @param statusOf returns the valid HTTP statuses of an outcome */
export function createRules(statusOf: (outcome: Outcome<unknown>) => readonly number[]): Rules {
  const met = new Set<RefusalCode>();
  return {
    met,
    keep(outcome) {
      if (!outcome.ok) met.add(outcome.code);
      assert.ok(statusOf(outcome).includes(outcome.wire.status), describe(outcome));
      checkOutcomeHeaders(outcome);
      if (!outcome.ok) checkRefusal(outcome);
      return outcome;
    },
  };
}

function checkOutcomeHeaders(outcome: Outcome<unknown>): void {
  const { status, headers } = outcome.wire;
  const where = describe(outcome);
  const isMissing = !outcome.ok && outcome.code === 'missing_api_key';
  checkHeaders({ method: 'any', status, headers }, isMissing, where);
  assert.match(headers['cache-control'] ?? '', status < 300 ? isPrivate : /^no-store$/, where);
  const challenge = isMissing ? 'Bearer' : 'Bearer error="invalid_token"';
  assert.equal(headers['www-authenticate'], status === 401 ? challenge : undefined, where);
  assert.equal('allow' in headers, status === 405, where);
}

/** Only the caller's own cache may store the answer, and must check it again before each use. */
const isPrivate = /^(no-store|private, no-cache)$/;

function checkRefusal(refused: Refused): void {
  const { code, message, documentationUrl, envelope, wire } = refused;
  const where = describe(refused);
  const known = errorTable[code];
  assert.ok(known, `the code ${code} is in no table: ${where}`);
  checkMessage(message, where);
  assert.equal(documentationUrl, `${publicUrl}/docs/errors#${code}`, where);
  const requestId = wire.headers['svc-request-id'];
  if (envelope) assert.deepEqual(envelope, { type: known[1], requestId }, where);
}

function describe(outcome: Outcome<unknown>): string {
  const { status, text } = outcome.wire;
  return `${outcome.ok ? 'accepted' : outcome.code}, ${status}: ${text.slice(0, 500)}`;
}
