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

/** The question of a signed-in person who acts for an investor. */
export interface ContactAccessQuestion {
  readonly sessionId: string;
  readonly contactId: string;
  readonly companyId: string;
}

export interface ContactAccessFacts extends Omit<VersionedAccessFacts, 'key'> {
  /** Null if the session ended, acts for another contact, or the contact no longer belongs to an investor. */
  readonly session: Pick<Session, 'lastSeenAt' | 'expiresAt'> | null;
}

export interface AuthenticationQuestion extends KeyQuestion {
  /** The company of the call. Null if it isn't known yet. */
  readonly companyId: string | null;
}

export interface AuthenticatedKey {
  readonly key: CallingKey;
  /** Null if no company was named. */
  readonly facts: VersionedAccessFacts | null;
}

/**
 * The facts of a decision. Must be read from what is committed at the time of the call, never from an earlier question.
 * Any number of concurrent questions must take one statement.
 */
export interface AccessFactsReader {
  /**
   * Returns the key of a credential with its access facts. Returns null if no working key has the credential. An ended
   * key
   * must take the same steps as an unknown credential, so that the response time doesn't reveal which it is.
   */
  authenticate(question: AuthenticationQuestion): Promise<AuthenticatedKey | null>;
  read(question: AccessQuestion): Promise<VersionedAccessFacts>;
  /** The same for a person: the facts of the investor whose contact it is. */
  readOfContact(question: ContactAccessQuestion): Promise<ContactAccessFacts>;
}

/** Filters the requests of an investor, or all requests. */
export interface RequestFilter {
  readonly investorId?: string | undefined;
  readonly companyId?: string | undefined;
  /** Only requests with this status at the time. */
  readonly status?: AccessRequestStatus | undefined;
  readonly now: Date;
}

/** A page of these requests. */
export interface ListedRequests extends RequestFilter {
  /** Only requests older than this position. */
  readonly olderThan?: Cursor | null;
  /** Only requests newer than this position. */
  readonly newerThan?: Cursor | null;
  /** Reverses the order, which is newest first by default. */
  readonly isOldestFirst?: boolean;
  readonly limit: number;
}

/** A page of the requests to a company. */
export interface ReceivedRequests {
  readonly companyId: string;
  /** Only requests with this status at the time. */
  readonly status?: AccessRequestStatus | undefined;
  readonly now: Date;
  /** Only requests older than this position. */
  readonly before: Cursor | null;
  readonly limit: number;
}

/** Requests that wait for a company's decision, including additions. */
export interface WaitingRequests {
  readonly companyId: string;
  readonly now: Date;
  readonly limit: number;
}

/** Grants of a company that end soon. */
export interface EndingGrants extends WaitingRequests {
  /** The last end, included. */
  readonly until: Date;
}

/** A page of a list ordered by time, then by ID. */
export interface DueRequests {
  readonly now: Date;
  /** Only items after this position. */
  readonly after: Cursor | null;
  readonly limit: number;
}

/** Live requests to sandbox companies, which decide automatically. */
export interface RequestsToAnswer {
  /** Companies that decide about waiting requests. */
  readonly answering: readonly string[];
  /** Companies that end their grants some time after the approval. */
  readonly ending: readonly string[];
  /** Only grants made by this time. */
  readonly decidedBy: Date;
  readonly limit: number;
}

/** A request with the investor's name. */
export interface ReceivedRequest {
  readonly accessRequest: AccessRequest;
  readonly investor: Pick<Investor, 'id' | 'name'>;
}

/** A request in a company's list. */
export interface ListedRequest extends ReceivedRequest {
  /** False if the company isn't in the investor's portfolio, or if one of the two is suspended. */
  readonly inPortfolio: boolean;
}

/** Access requests outside a transaction, as committed at the time of the call. */
export interface AccessRequests {
  /** Must answer any number of concurrent questions with one statement. */
  find(id: string): Promise<AccessRequest | null>;
  /** Newest first, unless the filter says otherwise. */
  list(filter: ListedRequests): Promise<AccessRequest[]>;
  count(filter: RequestFilter): Promise<number>;
  /** A page of the requests to a company, newest first. */
  listReceived(page: ReceivedRequests): Promise<ListedRequest[]>;
  /** A page of those that wait, newest first. */
  listWaiting(page: WaitingRequests & Pick<ReceivedRequests, 'before'>): Promise<ListedRequest[]>;
  /** Counts up to the limit. */
  countWaiting(query: WaitingRequests): Promise<number>;
  /** Soonest first, then by id. */
  listEnding(query: EndingGrants): Promise<ListedRequest[]>;
  /** The investors that ever asked the company, by name, then ID. Above the limit, those with the first IDs. */
  listRequestingInvestors(
    companyId: string,
    limit: number,
  ): Promise<readonly Pick<Investor, 'id' | 'name'>[]>;
  /** Live requests after their deadline, oldest first, with the deadline. */
  listPastDeadline(page: DueRequests): Promise<Cursor[]>;
  /** Grants whose end must be announced now, oldest first, with the time of the announcement. */
  listExpiring(page: DueRequests): Promise<Cursor[]>;
  /** IDs of the requests that sandbox companies must act on, oldest first. */
  listToAnswer(query: RequestsToAnswer): Promise<string[]>;
  /**
   * Runs the work in one transaction. If the work rejects, nothing is written. The work must await nothing but the
   * given
   * transaction.
   *
   * @param credential checked first. The work sees and changes only its owner's requests. Null: all requests
   */
  transact<T>(
    credential: ActingCredential | null,
    work: (transaction: AccessRequestTransaction) => Promise<T>,
  ): Promise<T>;
}

export interface AccessRequestTransaction {
  /** Locks a live request until the transaction ends. A request that has ended needs no lock, because it can't change. */
  lock(id: string): Promise<AccessRequest | null>;
  /** Locks the live requests that no other transaction has locked. Doesn't wait. */
  lockAvailable(ids: readonly string[]): Promise<AccessRequest[]>;
  /** Returns the newest request of the pair, live or not, locked in the same way. */
  lockNewest(investorId: string, companyId: string): Promise<AccessRequest | null>;
  /**
   * Must throw `company_not_found` if the company or the investor is suspended, and keep out a suspension and an erasure
   * until the transaction ends.
   *
   * Must return false and leave the transaction usable if the pair has a live request. The database guarantees that there
   * is at most one.
   */
  add(request: AccessRequest): Promise<boolean>;
  save(request: AccessRequest): Promise<void>;
  /** Returns the event that replaced this version of a locked request, or null. Notices replace no version. */
  findChange(requestId: string, version: string): Promise<AccessEvent | null>;
  /**
   * Writes an event and its receipt, which follows the last one of the request. Locks the request if it wasn't locked
   * before. Returns true if the receipt is signed. A receipt stays unsigned without a key, or if the key was
   * retired meanwhile.
   */
  addEvent(event: AccessEvent, identity: SigningIdentity | null): Promise<boolean>;
  /** Must reject with `idempotency_key_in_use` if another caller took over the claim meanwhile. */
  completeClaim(
    claim: IdempotencyClaim,
    outcome: RequestOutcome,
    accessRequestId: string,
  ): Promise<void>;
}

/** How a request for access ended: a new request, or a live one that covers it. */
export type RequestOutcome = 'created' | 'existing';

/** The right to carry out a call under an idempotency key until the lease ends. */
export interface IdempotencyClaim {
  /** Identifies this claim among those under the same key. */
  readonly id: string;
  readonly investorId: string;
  readonly key: string;
  /** Digest of the call. It tells a repetition from another use of the key. */
  readonly fingerprint: string;
  readonly claimedAt: Date;
  /** Another caller may take over the claim from this time on. */
  readonly leasedUntil: Date;
  /** The key is forgotten at this time. */
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
  /** Must give the claim to exactly one of any number of concurrent callers, in any process. */
  claim(claim: IdempotencyClaim): Promise<ClaimResult>;
  /** Gives up the claim after a failure, so that a retry is carried out. Must not touch another claim. */
  release(claim: IdempotencyClaim): Promise<void>;
  forgetExpired(now: Date): Promise<void>;
}
