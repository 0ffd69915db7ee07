import type { Protocol } from '../identity/caller.ts';
import type { RefusalCode } from './access-policy.ts';
import type { GrantableScope } from './scopes.ts';

/** The resources of a company that can be read. */
export const resources = ['metrics', 'metric', 'metric_history', 'sources', 'accounts'] as const;

export type Resource = (typeof resources)[number];

/**
 * The proof of one read, or of equal refusals within one request. A read is recorded before its data leaves; refusals
 * are
 * recorded shortly after the answer. Records are never changed.
 */
export interface AccessRecord {
  readonly id: string;
  readonly occurredAt: Date;
  readonly requestId: string;
  readonly protocol: Protocol;
  /** Null if a person at the desk was the reader. */
  readonly keyId: string | null;
  /** The contact who read. Null for a key. */
  readonly contactId: string | null;
  readonly investorId: string;
  /** Null if the requested ID is malformed. */
  readonly companyId: string | null;
  readonly scope: GrantableScope;
  readonly resource: Resource;
  /** The requested metric key. Null for other resources and for malformed keys. */
  readonly metricKey: string | null;
  /** The access request that allowed the read. Null if the read was refused. */
  readonly grantId: string | null;
  readonly outcome: 'allowed' | RefusalCode;
  /** The number of refusals. Always 1 for an allowed read. */
  readonly count: number;
}

/** Returns the same text for refusals that share a record: same request, same reason, same question. */
export function refusalIdentity(refusal: AccessRecord): string {
  const { requestId, keyId, contactId, companyId, scope, resource, metricKey, outcome } = refusal;
  const identity = [requestId, keyId ?? contactId, companyId, scope, resource, metricKey, outcome];
  return JSON.stringify(identity);
}

/** Returns the record of the earlier refusal, counting both. */
export function foldRefusals(earlier: AccessRecord, later: AccessRecord): AccessRecord {
  return { ...earlier, count: earlier.count + later.count };
}
