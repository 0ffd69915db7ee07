import type { AccessRequest } from '../model/consent/access-request.ts';
import type { Owner } from '../model/identity/owner.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';
import type { ReceiptOfEvent } from './receipts.ts';

/** The rules of an erasure, which a store applies to everything that it covers. They await nothing. */
export interface Erasure {
  /** Ends keys and suspends their owner from then on. */
  readonly erasedAt: Date;
  /** Returns null if nothing changes. */
  readonly request: (request: AccessRequest) => AccessRequest | null;
  /** Returns null if nothing changes. Else the receipt is signed again. */
  readonly consent: (consent: ReceiptOfEvent) => ReceiptOfEvent | null;
  /** Returns null if nothing changes. */
  readonly entry: (entry: SettingsChange) => SettingsChange | null;
  /** Replaces the name of a key, the reason for a void, and the account of a source in an event. */
  readonly text: string;
}

export interface OwnerErasure extends Erasure {
  readonly owner: Owner;
  /** The new name. */
  readonly name: string;
  /** Written last. */
  readonly change: SettingsChange;
}

export interface ErasedPerson {
  readonly contactId: string;
  readonly owner: Owner;
}

export interface PersonErasure extends Erasure {
  readonly email: string;
  /** Returns true if the text contains the whole address. A store may search more widely, but erases only these texts. */
  readonly isCovered: (text: string) => boolean;
  /** The entry for each contact with the address, also for one that was removed earlier. Written last. */
  readonly changeOf: (person: ErasedPerson) => SettingsChange;
}

export interface ErasureCounts {
  /** Contacts that were removed. The erasure of a person also counts those that were removed earlier. */
  readonly people: number;
  /** Receipts that were written again. */
  readonly receipts: number;
}

export interface PersonErasureCounts extends ErasureCounts {
  /** Other rows that were changed or deleted. If all counts are 0, the erasure changed nothing. */
  readonly otherRows: number;
}

/**
 * The only way to change what is final otherwise. Each call is one transaction: everything is erased, or nothing. No other
 * change of requests, receipts, settings or values may run meanwhile.
 */
export interface Erasures {
  /**
   * Must change nothing and return the IDs of the owner's requests that are live at the time, if there are any. Else removes contacts, sessions,
   * sign-in links, mails, webhook endpoints and idempotency keys, and of a company sources and accounts. Ends all keys.
   * Labels of metrics become their keys. Signed values stay.
   */
  eraseOwner(erasure: OwnerErasure): Promise<ErasureCounts | { readonly live: readonly string[] }>;
  /**
   * Removes the contacts with the address, their sessions, sign-in links and mails. Erases the address in requests,
   * receipts, the settings log, the names of keys and the reasons for voids of all companies.
   */
  erasePerson(erasure: PersonErasure): Promise<PersonErasureCounts>;
}
