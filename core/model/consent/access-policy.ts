import type { AccessErrorCode } from '../error-catalogue.ts';
import { isKeyLive, type KeyValidity } from '../identity/key-state.ts';
import { type AccessRequest, statusAt } from './access-request.ts';
import type { GrantableScope, Scope } from './scopes.ts';

export const companyAccesses = ['none', 'pending', 'approved', 'revoked'] as const;

/** What an investor's newest request for a company amounts to. */
export type CompanyAccess = (typeof companyAccesses)[number];

export interface NewestRequest
  extends Pick<AccessRequest, 'id' | 'status' | 'approvedScopes' | 'pendingScopes' | 'deadlineAt'> {
  /** When the company declined it, or decided last on a grant whose last addition it declined; else null. */
  readonly declinedAt: Date | null;
}

/** An investor with a company in its portfolio and a grant there, which may have ended by the clock. */
export interface Grantee {
  readonly companyId: string;
  readonly investorId: string;
  readonly newestRequest: NewestRequest;
}

/** Everything that a decision rests on, read afresh for every question. */
export interface AccessFacts {
  /** The key that asks; null when it does not exist any more. */
  readonly key: (KeyValidity & { readonly scopes: readonly Scope[] }) | null;
  /** Whether the company is in the portfolio of the key's investor, now. */
  readonly inPortfolio: boolean;
  /** The investor's newest access request for the company, live or not; null when there is none. */
  readonly newestRequest: NewestRequest | null;
}

/** The facts of one company, with the version that its data had at the same instant. */
export interface VersionedAccessFacts extends AccessFacts {
  /** It changes whenever anything that can be read of the company does. */
  readonly dataVersion: string;
}

export type RefusalCode = Extract<
  AccessErrorCode,
  | 'invalid_api_key'
  | 'insufficient_scope'
  | 'company_not_found'
  | 'access_required'
  | 'access_pending'
  | 'access_revoked'
>;

/** What refuses one company alone: the others are about the key. */
export type CompanyRefusalCode = Exclude<RefusalCode, 'invalid_api_key' | 'insufficient_scope'>;

const companyRefusalCodes: ReadonlySet<AccessErrorCode> = new Set<CompanyRefusalCode>([
  'company_not_found',
  'access_required',
  'access_pending',
  'access_revoked',
]);

export const refusesCompanyAlone = (code: AccessErrorCode): code is CompanyRefusalCode =>
  companyRefusalCodes.has(code);

export type Authorization =
  | { readonly allowed: true; readonly grantId: string }
  | { readonly allowed: false; readonly code: RefusalCode };

/**
 * The one rule: nobody reads a company's data unless the key has the scope and the company has granted it, now.
 * The order of the checks is part of the rule: a key without the scope learns nothing about any company, and a
 * company outside the portfolio is not there at all.
 */
export function authorize(facts: AccessFacts, scope: GrantableScope, now: Date): Authorization {
  const { key } = facts;
  if (key === null || !isKeyLive(key, now)) return refuse('invalid_api_key');
  if (!key.scopes.includes(scope)) return refuse('insufficient_scope');
  return authorizeByGrant(facts, scope, now);
}

/** The part of the rule that asks for no key. By itself it is for what has none, as a webhook. */
export function authorizeByGrant(
  { inPortfolio, newestRequest }: Omit<AccessFacts, 'key'>,
  scope: GrantableScope,
  now: Date,
): Authorization {
  if (!inPortfolio) return refuse('company_not_found');
  if (newestRequest === null) return refuse('access_required');
  if (readableScopes(newestRequest, inPortfolio, now).includes(scope)) {
    return { allowed: true, grantId: newestRequest.id };
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

/**
 * Returns the scopes that the investor of a request can read now: the approved scopes of a live grant while the company
 * is in the investor's portfolio and neither of the two is suspended. Pages that show what an investor reads ask this.
 */
export const readableScopes = (
  request: Pick<AccessRequest, 'status' | 'deadlineAt' | 'approvedScopes'>,
  inPortfolio: boolean,
  now: Date,
): readonly GrantableScope[] =>
  inPortfolio && statusAt(request, now) === 'approved' ? request.approvedScopes : [];

/** The `access` of a company, from the newest request: a declined or expired one counts as none. */
export function companyAccess(newest: NewestRequest | null, now: Date): CompanyAccess {
  if (newest === null) return 'none';
  const status = statusAt(newest, now);
  return status === 'declined' || status === 'expired' ? 'none' : status;
}

function refuse(code: RefusalCode): Authorization {
  return { allowed: false, code };
}
