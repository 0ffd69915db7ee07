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

/** What a person asks who acts for an investor in a session. */
export interface ContactAccessQuestion {
  readonly sessionId: string;
  readonly contactId: string;
  readonly companyId: string;
}

export interface ContactAccessFacts extends Omit<VersionedAccessFacts, 'key'> {
  /** Null when the session is gone, acts as another contact by now, or the contact is none of an investor any more. */
  readonly session: Pick<Session, 'lastSeenAt' | 'expiresAt'> | null;
}

export interface AuthenticationQuestion extends KeyQuestion {
  /** The company that will be asked for; null when that is not known yet. */
  readonly companyId: string | null;
}

export interface AuthenticatedKey {
  readonly key: CallingKey;
  /** Null when no company was named. */
  readonly facts: VersionedAccessFacts | null;
}

/**
 * Everything that a decision rests on. Must be read from what is committed at the time of the call: an answer must never
 * come from an earlier question on any process. Any number of questions asked at once must be answered in one statement.
 */
export interface AccessFactsReader {
  /**
   * The key of a credential, with its access facts of the company; null when the credential belongs to no key that works
   * by the time of the answer. For a key that has ended the same steps must be taken as for one that never was, or the
   * time of the answer would tell the two apart.
   */
  authenticate(question: AuthenticationQuestion): Promise<AuthenticatedKey | null>;
  read(question: AccessQuestion): Promise<VersionedAccessFacts>;
  /** The same for a person, of the investor whose contact it is. */
  readOfContact(question: ContactAccessQuestion): Promise<ContactAccessFacts>;
}

/** The requests of one investor, to one company, or all. */
export interface RequestFilter {
  readonly investorId?: string | undefined;
  readonly companyId?: string | undefined;
  /** Only requests that have this status at the instant. */
  readonly status?: AccessRequestStatus | undefined;
  readonly now: Date;
}

/** A page of these requests. */
export interface ListedRequests extends RequestFilter {
  /** Only older ones than this. */
  readonly olderThan?: Cursor | null;
  /** Only newer ones than this. */
  readonly newerThan?: Cursor | null;
  /** Instead of the newest first. */
  readonly isOldestFirst?: boolean;
  readonly limit: number;
}

/** A page of the requests to a company. */
export interface ReceivedRequests {
  readonly companyId: string;
  /** Only requests that have this status at the instant. */
  readonly status?: AccessRequestStatus | undefined;
  readonly now: Date;
  /** Only older ones than this. */
  readonly before: Cursor | null;
  readonly limit: number;
}

/** Requests to a company that wait for its decision, or for one about an addition. */
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

/** A page of a list that is ordered by an instant, then by id. */
export interface DueRequests {
  readonly now: Date;
  /** Only later ones than this. */
  readonly after: Cursor | null;
  readonly limit: number;
}

/** Live requests to companies of the test environment that decide by themselves. */
export interface RequestsToAnswer {
  /** Companies that answer what waits for a decision. */
  readonly answering: readonly string[];
  /** Companies with whose grants something happens after they were made. */
  readonly ending: readonly string[];
  /** Those grants were made by this instant. */
  readonly decidedBy: Date;
  readonly limit: number;
}

/** A request with the name of the investor that asks. */
export interface ReceivedRequest {
  readonly accessRequest: AccessRequest;
  readonly investor: Pick<Investor, 'id' | 'name'>;
}

/** A request in a company's list. */
export interface ListedRequest extends ReceivedRequest {
  /** False if the company isn't in the investor's portfolio, or if one of the two is suspended. */
  readonly inPortfolio: boolean;
}

/** Reading access requests outside a transaction: what is committed, now. */
export interface AccessRequests {
  /** Must answer any number of questions asked at once in one statement. */
  find(id: string): Promise<AccessRequest | null>;
  /** Newest first, unless the filter says otherwise. */
  list(filter: ListedRequests): Promise<AccessRequest[]>;
  count(filter: RequestFilter): Promise<number>;
  /** A page of the requests to a company, newest first. */
  listReceived(page: ReceivedRequests): Promise<ListedRequest[]>;
  /** A page of those that wait, newest first. */
  listWaiting(page: WaitingRequests & Pick<ReceivedRequests, 'before'>): Promise<ListedRequest[]>;
  /** How many wait; at most the limit. */
  countWaiting(query: WaitingRequests): Promise<number>;
  /** Soonest first, then by id. */
  listEnding(query: EndingGrants): Promise<ListedRequest[]>;
  /** Everybody who ever asked the company, by name, then by id; of more than the limit, the first ids. */
  listAskingInvestors(
    companyId: string,
    limit: number,
  ): Promise<readonly Pick<Investor, 'id' | 'name'>[]>;
  /** Live requests whose deadline has come, each with its deadline, oldest first. */
  listPastDeadline(page: DueRequests): Promise<Cursor[]>;
  /** Grants whose end is to be announced by now, each with the instant of the announcement, oldest first. */
  listExpiring(page: DueRequests): Promise<Cursor[]>;
  /** Ids of the requests that such companies have something to do with, oldest first. */
  listToAnswer(query: RequestsToAnswer): Promise<string[]>;
  /**
   * Runs the work in one transaction: all of its writes are committed, or, when it rejects, none. The work must await
   * nothing but the given transaction.
   *
   * @param credential checked first; the work sees and changes the requests of its owner only. Null: all requests
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
  /** The newest request of the pair, live or not, locked likewise. */
  lockNewest(investorId: string, companyId: string): Promise<AccessRequest | null>;
  /**
   * Must answer false, and leave the transaction usable, when the pair has a live request: the database itself
   * guarantees that there is at most one.
   */
  add(request: AccessRequest): Promise<boolean>;
  save(request: AccessRequest): Promise<void>;
  /**
   * The event that made another version out of this one of a locked request; null when there is none. A notice makes none.
   */
  findChange(requestId: string, version: string): Promise<AccessEvent | null>;
  /**
   * Writes an event and its receipt, which follows the last one of the request. Locks the request if it wasn't locked
   * before. Returns true if the receipt is signed. A receipt stays without a signature if there is no key or the key was
   * retired meanwhile.
   */
  addEvent(event: AccessEvent, identity: SigningIdentity | null): Promise<boolean>;
  /** Must reject with `idempotency_key_in_use` when the claim has been taken over meanwhile. */
  completeClaim(
    claim: IdempotencyClaim,
    outcome: RequestOutcome,
    accessRequestId: string,
  ): Promise<void>;
}

/** How a request for access ended: a new request, or a live one that covers it. */
export type RequestOutcome = 'created' | 'existing';

/** The right to carry out what was asked under an idempotency key, until the lease ends. */
export interface IdempotencyClaim {
  /** Tells this claim from an earlier or later one under the same key. */
  readonly id: string;
  readonly investorId: string;
  readonly key: string;
  /** Digest of what was asked, to tell a repetition from a reuse. */
  readonly fingerprint: string;
  readonly claimedAt: Date;
  /** From here on another may take the claim over: its owner is taken for dead. */
  readonly leasedUntil: Date;
  /** From here on the key is forgotten. */
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
  /** Must give the claim to exactly one of any number of concurrent callers, on any process. */
  claim(claim: IdempotencyClaim): Promise<ClaimResult>;
  /** Gives the claim back after a failure, so that a retry is carried out. Must leave another's claim alone. */
  release(claim: IdempotencyClaim): Promise<void>;
  forgetExpired(now: Date): Promise<void>;
}
