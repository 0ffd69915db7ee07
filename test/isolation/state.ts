import type { Scope } from '#core';
import type {
  NormalizedAccessRequest,
  NormalizedAccount,
  NormalizedEvent,
  NormalizedMetric,
  NormalizedSource,
} from '../parity/drivers/driver.ts';

/**
 * Everything that the policy is based on, as it must be after each step. It doesn't follow how the service stores it.
 */
export interface State {
  /** The current time, in milliseconds. */
  now: number;
  readonly investors: Organisation[];
  readonly companies: Company[];
  readonly keys: Key[];
  /** The requests, in the order of their creation. */
  readonly accessRequests: AccessRequest[];
  readonly companyKeys: CompanyKey[];
  /** The events of requests, in the order in which they happened. */
  readonly events: RecordedEvent[];
  /** The changes of data, in the order in which they happened. */
  readonly dataChanges: DataChange[];
  /** The pairs of investor id and company id whose company is in the investor's portfolio. */
  readonly memberships: Set<string>;
}

export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly environment: 'live' | 'test';
  isSuspended: boolean;
}

/** A company with its data, which imports change. */
export interface Company extends Organisation {
  metrics: readonly NormalizedMetric[];
  /** Every value that was ever imported, in order. */
  revisions: readonly NormalizedMetric[];
  sources: readonly NormalizedSource[];
  accounts: readonly NormalizedAccount[];
}

export interface Key {
  readonly id: string;
  /** The key itself, or the token used in its place. */
  readonly secret: string;
  /** Whether a token is used. Then the key itself has all scopes and no end, and the token narrows them. */
  readonly isTokens: boolean;
  readonly owner: Organisation;
  readonly scopes: readonly Scope[];
  /** Null: the key has no end. */
  endsAt: number | null;
  isRevoked: boolean;
}

/** A key with which a company acts for itself. */
export interface CompanyKey {
  readonly id: string;
  readonly secret: string;
  readonly company: Company;
  isRevoked: boolean;
}

/** A change of a company's data. */
export interface DataChange {
  readonly company: Company;
  /** The time of the change, in milliseconds. */
  readonly at: number;
  readonly metricKeys: readonly string[];
  readonly hasSources: boolean;
  readonly hasAccounts: boolean;
}

/** An event of a request. It contains the request as it was right after the event. */
export interface RecordedEvent {
  readonly accessRequest: AccessRequest;
  readonly type: NormalizedEvent['type'];
  readonly actor: NormalizedEvent['actor'];
  readonly reason: string | null;
  /** The time of the event, in milliseconds. */
  readonly at: number;
  readonly request: NormalizedAccessRequest;
}

export interface AccessRequest {
  readonly id: string;
  readonly investor: Organisation;
  readonly company: Company;
  readonly createdAt: string;
  scopes: readonly string[];
  purpose: string;
  granted: readonly string[];
  /** The scopes requested in addition to the grant. */
  pending: readonly string[];
  pendingPurpose: string | null;
  reason: string | null;
  decidedAt: string | null;
  /** The status after the last action; the clock can still expire it. */
  status: 'pending' | 'approved' | 'declined' | 'expired' | 'revoked';
  /** When a pending or approved request expires. */
  deadline: number;
  /** The end of the grant, once there is one. */
  expiresAt: string | null;
}

export const pairOf = (investor: { readonly id: string }, company: { readonly id: string }) =>
  `${investor.id} ${company.id}`;
