import type { AccessErrorCode } from '../error-catalogue.ts';
import { isKeyLive, type KeyValidity } from '../identity/key-state.ts';
import { type AccessRequest, statusAt } from './access-request.ts';
import { type GrantableScope, grantableScopes, type Scope } from './scopes.ts';
import { type AccessTerms, allowsMetric } from './terms.ts';

export const companyAccesses = ['none', 'pending', 'approved', 'revoked'] as const;

/** The access that an investor has to a company. It depends on the investor's newest request. */
export type CompanyAccess = (typeof companyAccesses)[number];

export interface NewestRequest
  extends Pick<
    AccessRequest,
    | 'id'
    | 'status'
    | 'approvedScopes'
    | 'pendingScopes'
    | 'deadlineAt'
    | 'approvedTerms'
    | 'pausedAt'
    | 'firstReadAt'
  > {
  /** The time when the company declined the request or the last addition to the grant. Null if neither was declined. */
  readonly declinedAt: Date | null;
}

/** An investor with a grant from a company in the investor's portfolio. The grant may have expired. */
export interface Grantee {
  readonly companyId: string;
  readonly investorId: string;
  readonly newestRequest: NewestRequest;
}

/** The facts for one access decision. They are read again for every decision and never cached. */
export interface AccessFacts {
  /** The calling API key. Null if it doesn't exist. */
  readonly key: (KeyValidity & { readonly scopes: readonly Scope[] }) | null;
  /** True if the company is in the portfolio of the key's investor now. */
  readonly isInPortfolio: boolean;
  readonly newestRequest: NewestRequest | null;
}

export interface VersionedAccessFacts extends AccessFacts {
  /** Changes whenever any readable data of the company changes. */
  readonly dataVersion: string;
}

const companyRefusalCodes = [
  'company_not_found',
  'access_required',
  'access_pending',
  'access_revoked',
  'access_paused',
] as const satisfies readonly AccessErrorCode[];

export type CompanyRefusalCode = (typeof companyRefusalCodes)[number];

export type RefusalCode = CompanyRefusalCode | 'invalid_api_key' | 'insufficient_scope';

export const refusesCompanyAlone = (code: AccessErrorCode): code is CompanyRefusalCode =>
  (companyRefusalCodes as readonly AccessErrorCode[]).includes(code);

export type Authorization =
  | { readonly allowed: true; readonly grant: NewestRequest }
  | { readonly allowed: false; readonly code: RefusalCode };

/** The scope and metric of a read. Without a metric key, the read returns all metrics that the terms allow. */
export interface Needed {
  readonly scope: GrantableScope;
  readonly metricKey?: string | undefined;
}

/**
 * The central rule: a key can read a company's data only if it has the scope and the company grants the scope now. The
 * order of the checks is part of the rule. A key without the scope gets the same error for every company. A company
 * outside the portfolio causes the same error as a company that doesn't exist.
 */
export function authorize(facts: AccessFacts, needed: Needed, now: Date): Authorization {
  const { key } = facts;
  if (key === null || !isKeyLive(key, now)) return refuse('invalid_api_key');
  if (!key.scopes.includes(needed.scope)) return refuse('insufficient_scope');
  return authorizeByGrant(facts, needed, now);
}

/** The checks of `authorize` without the API key. Readers without a key, such as webhooks, use only these checks. */
export function authorizeByGrant(
  { isInPortfolio, newestRequest }: Omit<AccessFacts, 'key'>,
  { scope, metricKey }: Needed,
  now: Date,
): Authorization {
  if (!isInPortfolio) return refuse('company_not_found');
  if (newestRequest === null) return refuse('access_required');
  if (readableScopes(newestRequest, isInPortfolio, now).includes(scope)) {
    if (newestRequest.pausedAt !== null) return refuse('access_paused');
    return metricKey === undefined || allowsMetric(newestRequest.approvedTerms, metricKey)
      ? { allowed: true, grant: newestRequest }
      : refuse('access_required');
  }
  switch (statusAt(newestRequest, now)) {
    case 'pending':
      return refuse('access_pending');
    case 'revoked':
      return refuse('access_revoked');
    case 'approved':
      return refuse(
        newestRequest.pendingScopes.includes(scope) ? 'access_pending' : 'access_required',
      );
    default:
      return refuse('access_required');
  }
}

export interface Coverage {
  readonly scopes: readonly GrantableScope[];
  readonly terms: AccessTerms | null;
}

/** Returns true if the grant is for one use, and its first read isn't stored yet. */
export const isFirstUse = ({
  approvedTerms,
  firstReadAt,
}: Pick<NewestRequest, 'approvedTerms' | 'firstReadAt'>): boolean =>
  approvedTerms?.use === 'once' && firstReadAt === null;

/** Returns the data that a grant allows now. The scopes are empty if nothing may be read. */
export function coverageOf(facts: Omit<AccessFacts, 'key'>, now: Date): Coverage {
  const scopes = grantableScopes.filter((scope) => authorizeByGrant(facts, { scope }, now).allowed);
  return { scopes, terms: facts.newestRequest?.approvedTerms ?? null };
}

/** Returns the scopes of a live grant. Returns none if the company is outside the portfolio. */
export const readableScopes = (
  request: Pick<AccessRequest, 'status' | 'deadlineAt' | 'approvedScopes'>,
  isInPortfolio: boolean,
  now: Date,
): readonly GrantableScope[] =>
  isInPortfolio && statusAt(request, now) === 'approved' ? request.approvedScopes : [];

/** Returns the access that the newest request gives. A declined or expired request gives `none`. */
export function companyAccess(newest: NewestRequest | null, now: Date): CompanyAccess {
  if (newest === null) return 'none';
  const status = statusAt(newest, now);
  return status === 'declined' || status === 'expired' ? 'none' : status;
}

function refuse(code: RefusalCode): Authorization {
  return { allowed: false, code };
}
