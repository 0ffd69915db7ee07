import type { Scope } from '#core';
import type {
  ToldAccessRequest,
  ToldAccount,
  ToldEvent,
  ToldMetric,
  ToldSource,
} from '../parity/drivers/driver.ts';

/** Everything that the policy rests on, as it must be after each step, and nothing of how the service keeps it. */
export interface State {
  /** In milliseconds. */
  now: number;
  readonly investors: Organisation[];
  readonly companies: Company[];
  readonly keys: Key[];
  /** In the order in which they were made. */
  readonly accessRequests: AccessRequest[];
  readonly companyKeys: CompanyKey[];
  /** In the order in which they happened. */
  readonly events: RecordedEvent[];
  /** In the order in which they happened. */
  readonly dataChanges: DataChange[];
  /** Which company is in whose portfolio, by the ids of both. */
  readonly memberships: Set<string>;
}

export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly environment: 'live' | 'test';
  isSuspended: boolean;
}

/** A company with its data, which an import changes. */
export interface Company extends Organisation {
  metrics: readonly ToldMetric[];
  /** Every value that was ever imported, in its turn. */
  revisions: readonly ToldMetric[];
  sources: readonly ToldSource[];
  accounts: readonly ToldAccount[];
}

export interface Key {
  readonly id: string;
  /** The key itself, or a token in its place. */
  readonly secret: string;
  /** Whether the key itself has all scopes and no end, and a token leaves these. */
  readonly isTokens: boolean;
  readonly owner: Organisation;
  readonly scopes: readonly Scope[];
  /** Null: it has no end. */
  endsAt: number | null;
  isRevoked: boolean;
}

/** By which a company acts for itself. */
export interface CompanyKey {
  readonly id: string;
  readonly secret: string;
  readonly company: Company;
  isRevoked: boolean;
}

/** Data of a company that has changed. */
export interface DataChange {
  readonly company: Company;
  /** In milliseconds. */
  readonly at: number;
  readonly metricKeys: readonly string[];
  readonly hasSources: boolean;
  readonly hasAccounts: boolean;
}

/** Something that happened to a request, which is told as it was right after it. */
export interface RecordedEvent {
  readonly accessRequest: AccessRequest;
  readonly type: ToldEvent['type'];
  readonly actor: ToldEvent['actor'];
  readonly reason: string | null;
  /** In milliseconds. */
  readonly at: number;
  readonly request: ToldAccessRequest;
}

export interface AccessRequest {
  readonly id: string;
  readonly investor: Organisation;
  readonly company: Company;
  readonly createdAt: string;
  scopes: readonly string[];
  purpose: string;
  granted: readonly string[];
  /** Asked for in addition to the grant. */
  pending: readonly string[];
  pendingPurpose: string | null;
  reason: string | null;
  decidedAt: string | null;
  /** What somebody has made of it last. */
  status: 'pending' | 'approved' | 'declined' | 'expired' | 'revoked';
  /** When it ends by itself while it is pending or approved. */
  deadline: number;
  /** The end of the grant, once there is one. */
  expiresAt: string | null;
}

export const pairOf = (investor: { readonly id: string }, company: { readonly id: string }) =>
  `${investor.id} ${company.id}`;
