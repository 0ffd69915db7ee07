import type { Protocol } from '../identity/caller.ts';
import type { RefusalCode } from './access-policy.ts';
import type { GrantableScope } from './scopes.ts';

export const resources = ['metrics', 'metric', 'metric_history', 'sources', 'accounts'] as const;

export type Resource = (typeof resources)[number];

/**
 * The proof of one read, or of equal refusals within one call. A read is recorded before its data is sent. A refusal is
 * recorded shortly after the response. Records never change.
 */
export interface AccessRecord {
  readonly id: string;
  readonly occurredAt: Date;
  readonly requestId: string;
  readonly protocol: Protocol;
  /** Null if a contact read the data at the desk. */
  readonly keyId: string | null;
  /** Null for an API key. */
  readonly contactId: string | null;
  readonly investorId: string;
  /** Null if the requested ID is malformed. */
  readonly companyId: string | null;
  readonly scope: GrantableScope;
  readonly resource: Resource;
  /** Null if the read wasn't about one metric, or if the metric key is malformed. */
  readonly metricKey: string | null;
  /** The access request that allowed the read. Null for a refusal. */
  readonly grantId: string | null;
  readonly outcome: 'allowed' | RefusalCode;
  /** The number of refusals that this record stands for. Always 1 for an allowed read. */
  readonly count: number;
}

/** Returns the same text for refusals that share one record. */
export function refusalIdentity(refusal: AccessRecord): string {
  const { requestId, keyId, contactId, companyId, scope, resource, metricKey, outcome } = refusal;
  const identity = [requestId, keyId ?? contactId, companyId, scope, resource, metricKey, outcome];
  return JSON.stringify(identity);
}

export function foldRefusals(earlier: AccessRecord, later: AccessRecord): AccessRecord {
  return { ...earlier, count: earlier.count + later.count };
}
