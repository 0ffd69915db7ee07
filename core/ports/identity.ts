import type { AccessToken } from '../model/identity/access-token.ts';
import type { ActingCredential } from '../model/identity/acting-credential.ts';
import type { ApiKey } from '../model/identity/api-key.ts';
import type { CallingCompanyKey, CompanyKey } from '../model/identity/company-key.ts';
import type { Contact } from '../model/identity/contact.ts';
import type { Key, KeyValidity } from '../model/identity/key-state.ts';
import type { Owner, Whose } from '../model/identity/owner.ts';
import type { RateLimitPolicy, Spending } from '../model/identity/rate-limit.ts';
import type { Role } from '../model/identity/roles.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';

/** A key together with the SHA-256 digest of its secret; the secret itself is never kept. */
export interface NewKey<K extends Key> {
  readonly key: K;
  readonly digest: string;
}

/** Whose credential it is that somebody shows. */
export interface KeyQuestion {
  /** SHA-256 of the credential, as `Cryptography` tells it. */
  readonly digest: string;
  /** When it was shown. */
  readonly now: Date;
}

/** Keys of one kind. */
export interface Keys<K extends Key> {
  find(id: string): Promise<K | null>;
  /**
   * When the key works; null when it does not exist. Must be read from what is committed at the time of the call, and any
   * number of questions asked at once must be answered in one statement.
   */
  readValidity(id: string): Promise<KeyValidity | null>;
  /** Oldest first; of one owner or of all. */
  list(ownerId: string | null): Promise<K[]>;
  /** Those that work, then those that have ended, each with the newest first; at most so many. */
  listLatest(ownerId: string, now: Date, limit: number): Promise<K[]>;
  /**
   * Keeps when keys were last used, where that is later than what is kept by more than the granularity. Must not wait for
   * another change of the same key: such a use is left out.
   */
  keepUses(uses: ReadonlyMap<string, Date>, granularityMilliseconds: number): Promise<void>;
  /**
   * Runs the work in one transaction: all of its writes are committed, or, when it rejects, none. Meanwhile no other
   * such work on the keys of the owner runs. The work must await nothing but the given keys.
   *
   * @param ownerId null: keys of any owner, for an operator
   * @param credential checked first
   */
  transact<T>(
    ownerId: string | null,
    credential: ActingCredential | null,
    work: (keys: ChangedKeys<K>) => Promise<T>,
  ): Promise<T>;
}

/** Keys within a transaction. Each change is written with its entry in the settings log. */
export interface ChangedKeys<K extends Key> extends Pick<Keys<K>, 'find' | 'list' | 'listLatest'> {
  add(newKey: NewKey<K>, change: SettingsChange): Promise<void>;
  /** Returns false if the key doesn't exist. */
  rename(id: string, name: string, change: SettingsChange): Promise<boolean>;
  /** Must change nothing and answer false when the key is revoked already. */
  revoke(id: string, revokedAt: Date, change: SettingsChange): Promise<boolean>;
  /**
   * Adds the successor and lets the old key end, together or not at all. Must change nothing and answer false when the
   * old key was revoked or replaced meanwhile.
   *
   * @param olderEndsAt when the key that the old one has replaced ends, if it still works then
   */
  replace(
    old: Pick<K, 'id'>,
    oldExpiresAt: Date,
    successor: NewKey<K>,
    olderEndsAt: Date | undefined,
    change: SettingsChange,
  ): Promise<boolean>;
}

export interface ApiKeys extends Keys<ApiKey> {
  /** The digest of a key's secret, under which its points are counted; null when there is no such key. */
  readDigest(id: string): Promise<string | null>;
}

export interface CompanyKeys extends Keys<CompanyKey> {
  /**
   * The key of a credential, by its digest; null when it belongs to none that works by the time of the answer. Must be
   * read from what is committed at the time of the call, and any number of questions asked at once must be answered in
   * one statement. For a key that has ended the same steps must be taken as for one that never was.
   */
  authenticate(question: KeyQuestion): Promise<CallingCompanyKey | null>;
}

export interface Contacts {
  find(id: string): Promise<Contact | null>;
  /** Oldest first; of one owner or of all. */
  list(owner: Whose): Promise<Contact[]>;
  /**
   * Runs the work in one transaction: all of its writes are committed, or, when it rejects, none. Meanwhile no other
   * such work on the contacts of the owner runs. The work must await nothing but the given contacts.
   *
   * @param credential checked first
   */
  transact<T>(
    owner: Owner,
    credential: ActingCredential | null,
    work: (contacts: ChangedContacts) => Promise<T>,
  ): Promise<T>;
}

/** Contacts within a transaction. Each change is written with its entry in the settings log. */
export interface ChangedContacts extends Pick<Contacts, 'find' | 'list'> {
  /**
   * Must add nothing and answer false when its owner has the address. With an id for it an invitation is written, due
   * when the contact was made: both, or none of them.
   */
  add(contact: Contact, invitationId: string | undefined, change: SettingsChange): Promise<boolean>;
  /** Answers whether it was there. */
  saveRole(id: string, role: Role, change: SettingsChange): Promise<boolean>;
  /**
   * Answers whether it was there. With the last one of an address its sessions and sign-in links must be gone, so that
   * they don't work again for one that is added later.
   */
  remove(id: string, change: SettingsChange): Promise<boolean>;
}

/** For an act of a caller that isn't one transaction of ours. */
export interface ActingCredentials {
  /** Checks the credential in a transaction of its own. */
  check(credential: ActingCredential | null): Promise<void>;
}

/** Tokens of the authorization server that the service believes. */
export interface AccessTokens {
  /**
   * What a token allows; null for one that must not be believed, whatever is wrong with it. Must wait for the
   * authorization server for some seconds at most, and only where nothing else would tell; rejects with
   * `service_unavailable` while nothing is known of it.
   */
  verify(token: string, now: Date): Promise<AccessToken | null>;
}

export interface RateLimiter {
  readonly policy: RateLimitPolicy;
  /**
   * Spends points of a bucket; with none it only tells what is spent. Must count over all processes that share the limiter's store; must not reject, and must
   * not take longer than 50 ms: when the store is down or hangs, this process counts alone. Anybody can make up
   * buckets, and their number must not matter.
   */
  spend(bucket: string, points: number): Promise<Spending>;
}
