import type { VersionedAccessFacts } from '../model/consent/access-policy.ts';
import type { AccessRequest, AccessRequestStatus } from '../model/consent/access-request.ts';
import type { Cursor } from '../model/cursor.ts';
import type { AccessEvent } from '../model/events/access-event.ts';
import type { ActingCredential } from '../model/identity/acting-credential.ts';
import type { CallingKey } from '../model/identity/api-key.ts';
import type { Investor } from '../model/identity/investor.ts';
import type { SigningIdentity } from '../model/proof/signing-key.ts';
import type { Session } from '../model/sign-in/session.ts';
import type { KeyQuestion } from './identity.ts';

export interface AccessQuestion {
  readonly keyId: string;
  readonly companyId: string;
}

export interface ContactAccessQuestion {
  readonly sessionId: string;
  readonly contactId: string;
  readonly companyId: string;
}

export interface ContactAccessFacts extends Omit<VersionedAccessFacts, 'key'> {
  /** Null if the session has ended or acts for another contact, or if the contact was removed. */
  readonly session: Pick<Session, 'lastSeenAt' | 'expiresAt'> | null;
}

export interface AuthenticationQuestion extends KeyQuestion {
  /** The company of the call. Null if it isn't known yet. */
  readonly companyId: string | null;
}

export interface AuthenticatedKey {
  readonly key: CallingKey;
  /** Null if the call names no company. */
  readonly facts: VersionedAccessFacts | null;
}

/** Must see every change that was committed before the call. Concurrent calls must share one SQL statement. */
export interface AccessFactsReader {
  /**
   * Returns null if the credential doesn't belong to a working key. A revoked or expired key must take the same steps
   * as an unknown credential. So the response time doesn't reveal the difference.
   */
  authenticate(question: AuthenticationQuestion): Promise<AuthenticatedKey | null>;
  read(question: AccessQuestion): Promise<VersionedAccessFacts>;
  readOfContact(question: ContactAccessQuestion): Promise<ContactAccessFacts>;
}

export interface RequestFilter {
  readonly investorId?: string | undefined;
  readonly companyId?: string | undefined;
  /** Only requests with this status at `now`. */
  readonly status?: AccessRequestStatus | undefined;
  readonly now: Date;
}

export interface ListedRequests extends RequestFilter {
  readonly olderThan?: Cursor | null;
  readonly newerThan?: Cursor | null;
  /** The default is newest first. */
  readonly isOldestFirst?: boolean;
  readonly limit: number;
}

export interface ReceivedRequests {
  readonly companyId: string;
  /** Only requests with this status at `now`. */
  readonly status?: AccessRequestStatus | undefined;
  readonly now: Date;
  readonly before: Cursor | null;
  readonly limit: number;
}

/** Selects requests and additions that wait for a company's decision. */
export interface WaitingRequests {
  readonly companyId: string;
  readonly now: Date;
  readonly limit: number;
}

export interface EndingGrants extends WaitingRequests {
  /** Only grants that expire at this time or earlier. */
  readonly until: Date;
}

export interface DueRequests {
  readonly now: Date;
  readonly after: Cursor | null;
  readonly limit: number;
}

/** Selects live requests to sandbox companies, which act automatically. */
export interface RequestsToAnswer {
  readonly answering: readonly string[];
  /** The sandbox companies that end a grant some time after they approve it. */
  readonly ending: readonly string[];
  /** Only grants approved by this time. */
  readonly decidedBy: Date;
  readonly limit: number;
}

export interface ReceivedRequest {
  readonly accessRequest: AccessRequest;
  readonly investor: Pick<Investor, 'id' | 'name'>;
}

export interface ListedRequest extends ReceivedRequest {
  /** False if the investor's portfolio doesn't contain the company, or if one of the two is suspended. */
  readonly isInPortfolio: boolean;
}

/** Access requests outside a transaction, as committed at the time of the call. */
export interface AccessRequests {
  /** Concurrent calls must share one SQL statement. */
  find(id: string): Promise<AccessRequest | null>;
  list(filter: ListedRequests): Promise<AccessRequest[]>;
  count(filter: RequestFilter): Promise<number>;
  /** Newest first. */
  listReceived(page: ReceivedRequests): Promise<ListedRequest[]>;
  /** Newest first. */
  listWaiting(page: WaitingRequests & Pick<ReceivedRequests, 'before'>): Promise<ListedRequest[]>;
  /** Counts the waiting requests. Stops at the limit. */
  countWaiting(query: WaitingRequests): Promise<number>;
  /** Sorted by the expiry of the grant, soonest first, then by ID. */
  listEnding(query: EndingGrants): Promise<ListedRequest[]>;
  /** Returns grants whose last event is `access_request.review_due`, the oldest approval first. */
  listInReview(query: WaitingRequests): Promise<ListedRequest[]>;
  /** Returns the investors that have ever requested access, by name. Above the limit, keeps the lowest IDs. */
  listRequestingInvestors(
    companyId: string,
    limit: number,
  ): Promise<readonly Pick<Investor, 'id' | 'name'>[]>;
  /** Returns live requests past their deadline, oldest first. The time of each cursor is the deadline. */
  listPastDeadline(page: DueRequests): Promise<Cursor[]>;
  /** Returns grants whose expiry must be announced now, oldest first. Each cursor has the announcement time. */
  listExpiring(page: DueRequests): Promise<Cursor[]>;
  /** Returns grants whose company must be asked for a review now, oldest first. The time of each cursor is `reviewAt`. */
  listToReview(page: DueRequests): Promise<Cursor[]>;
  /** Returns the IDs of requests that a sandbox company must act on, oldest first. */
  listToAnswer(query: RequestsToAnswer): Promise<string[]>;
  /**
   * Runs the work in one transaction, as described at `Repositories`.
   *
   * @param credential limits the work to the requests of the credential's owner. Null allows all requests
   */
  transact<T>(
    credential: ActingCredential | null,
    work: (transaction: AccessRequestTransaction) => Promise<T>,
  ): Promise<T>;
}

export interface AccessRequestTransaction {
  /** Locks a live request until the transaction ends. An ended request needs no lock, because it can't change. */
  lock(id: string): Promise<AccessRequest | null>;
  lockAvailable(ids: readonly string[]): Promise<AccessRequest[]>;
  /** Returns the investor's newest request for the company, live or ended. Locks the request like `lock`. */
  lockNewest(investorId: string, companyId: string): Promise<AccessRequest | null>;
  /**
   * Adds a request. Must throw `company_not_found` if the company or the investor is suspended. Must prevent a
   * suspension and an erasure until the transaction ends. Must return false if the investor already has a live request
   * for the company. The transaction then stays usable. The database guarantees that there is at most one live request.
   */
  add(request: AccessRequest): Promise<boolean>;
  save(request: AccessRequest): Promise<void>;
  /**
   * Returns the event that changed a locked request from this version to the next one, or null. Events in
   * `versionlessEventTypes` don't change the version.
   */
  findChange(requestId: string, version: string): Promise<AccessEvent | null>;
  /** Returns true if the company's admins have decided that each approval needs two people. */
  requiresTwoApprovals(companyId: string): Promise<boolean>;
  /**
   * Writes an event and its receipt. The receipt is the next one in the request's chain. Locks the request. Returns
   * true if the receipt is signed. The receipt stays unsigned if there is no key, or if the key was retired meanwhile.
   */
  addEvent(event: AccessEvent, identity: SigningIdentity | null): Promise<boolean>;
  /** Must reject with `idempotency_key_in_use` if another caller took over the claim meanwhile. */
  completeClaim(
    claim: IdempotencyClaim,
    outcome: RequestOutcome,
    accessRequestId: string,
  ): Promise<void>;
}

/** `created` means a new request. `existing` means that a live request already covers the scopes. */
export type RequestOutcome = 'created' | 'existing';

/** The right to carry out a call under an idempotency key until the lease expires. */
export interface IdempotencyClaim {
  /** Identifies the claim among all claims of the key. */
  readonly id: string;
  readonly investorId: string;
  readonly key: string;
  /** The digest of the call. It shows whether a repeated idempotency key comes with the same call. */
  readonly fingerprint: string;
  readonly claimedAt: Date;
  /** Another caller can take over the claim from this time on. */
  readonly leasedUntil: Date;
  /** The idempotency key is forgotten at this time. */
  readonly expiresAt: Date;
}

export type ClaimResult =
  | { readonly state: 'claimed' }
  | { readonly state: 'in_flight'; readonly fingerprint: string }
  | {
      readonly state: 'completed';
      readonly fingerprint: string;
      readonly outcome: RequestOutcome;
      readonly accessRequestId: string;
    };

export interface IdempotencyKeys {
  /** Must give the claim to exactly one of many concurrent callers, in any process. */
  claim(claim: IdempotencyClaim): Promise<ClaimResult>;
  /** Gives up the claim after a failed call, so that a retry is carried out. Must not release another claim. */
  release(claim: IdempotencyClaim): Promise<void>;
  deleteExpired(now: Date): Promise<void>;
}
