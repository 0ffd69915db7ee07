import type { Scope } from '#core';
import type {
  NormalizedAccessRequest,
  NormalizedAccount,
  NormalizedEvent,
  NormalizedMetric,
  NormalizedSource,
} from '../parity/drivers/driver.ts';
import type { Terms } from './terms.ts';

/** Everything that the policy depends on, as it must be after each step, however the service stores it. */
export interface State {
  /** In milliseconds. */
  now: number;
  readonly investors: Organisation[];
  readonly companies: Company[];
  readonly keys: Key[];
  readonly accessRequests: AccessRequest[];
  readonly companyKeys: CompanyKey[];
  readonly events: RecordedEvent[];
  readonly dataChanges: DataChange[];
  /** Pairs of the IDs of an investor and a company in its portfolio. */
  readonly memberships: Set<string>;
}

export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly environment: 'live' | 'test';
  isSuspended: boolean;
}

export interface Company extends Organisation {
  metrics: readonly NormalizedMetric[];
  /** Every value that was ever imported, in order. */
  revisions: readonly NormalizedMetric[];
  sources: readonly NormalizedSource[];
  accounts: readonly NormalizedAccount[];
}

export interface Key {
  readonly id: string;
  /** The secret of the API key, or of a token instead. */
  readonly secret: string;
  /** A token limits the scopes and the end. Its key has all scopes and no end. */
  readonly isTokens: boolean;
  readonly owner: Organisation;
  readonly scopes: readonly Scope[];
  /** Null if the key doesn't expire. */
  endsAt: number | null;
  isRevoked: boolean;
}

export interface CompanyKey {
  readonly id: string;
  readonly secret: string;
  readonly company: Company;
  isRevoked: boolean;
}

export interface MetricPeriod {
  readonly key: string;
  readonly period: string;
}

export interface DataChange {
  readonly company: Company;
  /** In milliseconds. */
  readonly at: number;
  /** The latest stored value of each changed metric. Its label changes with every import. */
  readonly values: readonly MetricPeriod[];
  readonly hasSources: boolean;
  readonly hasAccounts: boolean;
}

export interface RecordedEvent {
  readonly accessRequest: AccessRequest;
  readonly type: NormalizedEvent['type'];
  readonly actor: NormalizedEvent['actor'];
  readonly reason: string | null;
  /** In milliseconds. */
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
  /** The scopes that the investor has requested in addition to the granted ones. */
  pending: readonly string[];
  pendingPurpose: string | null;
  requestedTerms: Terms;
  /** Null also before the approval. */
  terms: Terms;
  /** Null if the addition has no wider terms, and `noLimits` if it asks for no limits. */
  pendingTerms: Terms;
  /** Null unless the company has paused the grant. */
  pausedAt: string | null;
  /** The last possible end of a grant for one use. Null before the first read. */
  endOfUse: number | null;
  reason: string | null;
  decidedAt: string | null;
  /** The status after the last change. The request may have expired since then. */
  status: 'pending' | 'approved' | 'declined' | 'expired' | 'revoked';
  deadline: number;
  /** Null if there was no grant yet. */
  expiresAt: string | null;
}

export const pairOf = (investor: { readonly id: string }, company: { readonly id: string }) =>
  `${investor.id} ${company.id}`;
