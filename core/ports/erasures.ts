import type { AccessRequest } from '../model/consent/access-request.ts';
import type { Owner } from '../model/identity/owner.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';
import type { ReceiptOfEvent } from './receipts.ts';

/** The rules of an erasure, which a repository applies to all covered rows. */
export interface Erasure {
  /** Keys end at this time, and their owner is suspended from it on. */
  readonly erasedAt: Date;
  /** Returns null if nothing changes. */
  readonly request: (request: AccessRequest) => AccessRequest | null;
  /** Returns null if nothing changes. A changed receipt is signed again. */
  readonly consent: (consent: ReceiptOfEvent) => ReceiptOfEvent | null;
  /** Returns null if nothing changes. */
  readonly entry: (entry: SettingsChange) => SettingsChange | null;
  /** Replaces the names of keys, the reasons for voids, and the accounts of sources in events. */
  readonly text: string;
}

export interface OwnerErasure extends Erasure {
  readonly owner: Owner;
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
  /**
   * Returns true if the text contains the whole address. A repository can search more widely, but replaces only these
   * texts.
   */
  readonly isCovered: (text: string) => boolean;
  /** Returns the entry for a contact with the address, even if the contact was removed earlier. Written last. */
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
 * The only way to change append-only rows. Each call is one transaction. No other change of requests, receipts,
 * settings or values can run meanwhile.
 */
export interface Erasures {
  /**
   * Must change nothing and return the IDs of the owner's live requests if there are any. Otherwise removes the owner's
   * contacts, sessions, sign-in links, mails, webhook endpoints, idempotency keys, sources and accounts. Ends all keys.
   * Labels of metrics become their keys. Signed values stay.
   */
  eraseOwner(erasure: OwnerErasure): Promise<ErasureCounts | { readonly live: readonly string[] }>;
  /**
   * Removes the contacts with the address, their sessions, sign-in links and mails. Erases the address in requests,
   * receipts, the settings log, the names of keys and the reasons for voids of all companies.
   */
  erasePerson(erasure: PersonErasure): Promise<PersonErasureCounts>;
}
