import type { Consent } from './consents.ts';
import type { Call, Outcome } from './traffic.ts';

/** Access is requested, approved and revoked again and again. */
export interface Actor extends Consent {
  /** The event types of all acknowledged changes, in order. */
  readonly acknowledged: string[];
  /** The next change, which is sent until the service acknowledges it. */
  next: 'ask' | 'approve' | 'revoke';
}

export interface Step extends Call {
  readonly actor: Actor;
}

export const following = { ask: 'approve', approve: 'revoke', revoke: 'ask' } as const;
export const written = { ask: 'created', approve: 'approved', revoke: 'revoked' } as const;

export function stepOf(actor: Actor): Step {
  const { next, key, companyId, companyKey, requestId } = actor;
  if (next === 'ask') {
    const body = { company_id: companyId, scopes: ['metrics:read'] };
    return { actor, method: 'POST', path: '/v1/access-requests', key, body };
  }
  const path = `/company/v1/access-requests/${requestId}/${next}`;
  return { actor, method: 'POST', path, key: companyKey, body: {} };
}

export function take({ call: { actor }, answer }: Outcome<Step>): void {
  if (answer === null || answer.status >= 300) return;
  actor.acknowledged.push(written[actor.next]);
  if (actor.next === 'ask') actor.requestId = answer.body.id;
  actor.next = following[actor.next];
}
