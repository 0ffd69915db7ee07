import type { AccessRequest } from '../model/consent/access-request.ts';
import type { Owner } from '../model/identity/owner.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';
import type { ReceiptOfEvent } from './receipts.ts';

/** The rules of an erasure. A repository applies these rules to all rows that must be erased. */
export interface Erasure {
  /** From this time on, the owner is suspended and the owner's keys no longer work. */
  readonly erasedAt: Date;
  /** Returns the access request without the erased texts, or null if nothing changes. */
  readonly request: (request: AccessRequest) => AccessRequest | null;
  /** Returns the pair without the erased texts, or null if nothing changes. A changed receipt is signed again. */
  readonly consent: (consent: ReceiptOfEvent) => ReceiptOfEvent | null;
  /** Returns the entry of the settings log without the erased texts, or null if nothing changes. */
  readonly entry: (entry: SettingsChange) => SettingsChange | null;
  /** The text that replaces the names of keys, the reasons for voids, and the account names of sources in events. */
  readonly text: string;
}

export interface OwnerErasure extends Erasure {
  readonly owner: Owner;
  readonly name: string;
  /** The entry of the settings log about the erasure. It is written last. */
  readonly change: SettingsChange;
}

export interface ErasedPerson {
  readonly contactId: string;
  readonly owner: Owner;
}

export interface PersonErasure extends Erasure {
  readonly email: string;
  /**
   * Returns true if the text contains the whole address. A repository can search for more texts, but must replace only
   * texts for which this function returns true.
   */
  readonly isCovered: (text: string) => boolean;
  /** Returns the entry about an erased contact, even one that was removed earlier. It is written last. */
  readonly changeOf: (person: ErasedPerson) => SettingsChange;
}

export interface ErasureCounts {
  /** The number of removed contacts. The erasure of a person also counts contacts that were removed earlier. */
  readonly people: number;
  readonly receipts: number;
}

export interface PersonErasureCounts extends ErasureCounts {
  /** The number of other changed or deleted rows. If all counts are 0, the erasure changed nothing. */
  readonly otherRows: number;
}

/**
 * The only port that changes append-only rows. Each call is one transaction. During the transaction, no other change to
 * access requests, receipts, settings or values can run.
 */
export interface Erasures {
  /**
   * If the owner has live access requests, must change nothing and return their IDs. Otherwise removes the owner's
   * contacts, sessions, sign-in links, mails, webhook endpoints, idempotency keys, sources and accounts. Revokes all
   * keys. Replaces the label of each metric with the metric key. Signed values stay.
   */
  eraseOwner(erasure: OwnerErasure): Promise<ErasureCounts | { readonly live: readonly string[] }>;
  /**
   * Removes the contacts with the address, and their sessions, sign-in links and mails. Erases the address in the
   * access requests, receipts, settings logs, names of keys and reasons for voids of all companies and investors.
   */
  erasePerson(erasure: PersonErasure): Promise<PersonErasureCounts>;
}
