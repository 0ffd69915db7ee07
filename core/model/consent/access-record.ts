import type { Protocol } from '../identity/caller.ts';
import type { RefusalCode } from './access-policy.ts';
import type { GrantableScope } from './scopes.ts';

/** What can be read of a company. */
export const resources = ['metrics', 'metric', 'metric_history', 'sources', 'accounts'] as const;

export type Resource = (typeof resources)[number];

/**
 * The proof of one read, or of alike refusals of one request: who asked, for what, under which grant, when, and how it
 * ended. That of a read is committed before its data leaves, that of refusals shortly after the answer. Written once,
 * never changed.
 */
export interface AccessRecord {
  readonly id: string;
  readonly occurredAt: Date;
  readonly requestId: string;
  readonly protocol: Protocol;
  /** Null when a person asked, at the desk. */
  readonly keyId: string | null;
  /** The contact who asked; null when a key did. */
  readonly contactId: string | null;
  readonly investorId: string;
  /** Null when the id that was asked for is malformed. */
  readonly companyId: string | null;
  readonly scope: GrantableScope;
  readonly resource: Resource;
  /** The key of the metric that was asked for; null for other resources, and for a malformed key. */
  readonly metricKey: string | null;
  /** The access request that allowed the read; null when it was refused. */
  readonly grantId: string | null;
  readonly outcome: 'allowed' | RefusalCode;
  /** How many refusals it proves; an allowed read always has a record of its own. */
  readonly count: number;
}

/** The same text for refusals that share one record: those of one request, for the same reason, to the same question. */
export function refusalIdentity(refusal: AccessRecord): string {
  const { requestId, keyId, contactId, companyId, scope, resource, metricKey, outcome } = refusal;
  const asked = [requestId, keyId ?? contactId, companyId, scope, resource, metricKey, outcome];
  return JSON.stringify(asked);
}

/** The record of the earlier one, which now proves both. */
export function foldRefusals(earlier: AccessRecord, later: AccessRecord): AccessRecord {
  return { ...earlier, count: earlier.count + later.count };
}
