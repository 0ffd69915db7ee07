import type { AccessEvent } from '../../events/access-event.ts';
import type { AccessRequest } from '../access-request.ts';
import type { IdempotencyClaim, RequestOutcome } from './idempotency-keys.ts';

/** Reading access requests outside a transaction: what is committed, now. */
export interface AccessRequests {
  /** Must answer any number of questions asked at once in one statement. */
  find(id: string): Promise<AccessRequest | null>;
  /** Newest first; of one investor, of one company, or all. */
  list(filter: {
    readonly investorId?: string;
    readonly companyId?: string;
  }): Promise<AccessRequest[]>;
  /** Oldest first. */
  listEvents(): Promise<AccessEvent[]>;
  /** Ids of live requests whose deadline has come, oldest deadline first, at most `limit` of them. */
  listLapsed(now: Date, limit: number): Promise<string[]>;
  /**
   * Runs the work in one transaction: all of its writes are committed, or, when it rejects, none. The work must await
   * nothing but the given transaction.
   */
  transact<T>(work: (transaction: AccessRequestTransaction) => Promise<T>): Promise<T>;
}

export interface AccessRequestTransaction {
  /** The request, locked against every other transaction until this one ends. */
  lock(id: string): Promise<AccessRequest | null>;
  /** The newest request of the pair, live or not, locked likewise. */
  lockNewest(investorId: string, companyId: string): Promise<AccessRequest | null>;
  /**
   * Must answer false, and leave the transaction usable, when the pair has a live request: the database itself
   * guarantees that there is at most one.
   */
  add(request: AccessRequest): Promise<boolean>;
  save(request: AccessRequest): Promise<void>;
  addEvent(event: AccessEvent): Promise<void>;
  /** Must reject with `idempotency_key_in_use` when the claim has been taken over meanwhile. */
  completeClaim(
    claim: IdempotencyClaim,
    outcome: RequestOutcome,
    accessRequestId: string,
  ): Promise<void>;
}
