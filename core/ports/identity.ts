import type { MailSettings } from '../model/events/news.ts';
import type { AccessToken } from '../model/identity/access-token.ts';
import type { ActingCredential } from '../model/identity/acting-credential.ts';
import type { ApiKey } from '../model/identity/api-key.ts';
import type { CallingCompanyKey, CompanyKey } from '../model/identity/company-key.ts';
import type { Contact } from '../model/identity/contact.ts';
import type { Key, KeyValidity } from '../model/identity/key-state.ts';
import type { Owner, OwnerOrOperator } from '../model/identity/owner.ts';
import type { RateLimitPolicy, Spending } from '../model/identity/rate-limit.ts';
import type { Role } from '../model/identity/roles.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';

/** A key with the SHA-256 digest of its secret. The secret isn't stored. */
export interface NewKey<K extends Key> {
  readonly key: K;
  readonly digest: string;
}

export interface KeyQuestion {
  /** SHA-256 of the credential, in hexadecimal. */
  readonly digest: string;
  readonly now: Date;
}

export interface Keys<K extends Key> {
  find(id: string): Promise<K | null>;
  /** Must see every change that was committed before the call. Concurrent calls must share one SQL statement. */
  readValidity(id: string): Promise<KeyValidity | null>;
  /** Lists keys, oldest first. Null means the keys of all owners. */
  list(ownerId: string | null): Promise<K[]>;
  /** Lists working keys first, then revoked and expired keys, each group newest first. */
  listLatest(ownerId: string, now: Date, limit: number): Promise<K[]>;
  /**
   * Stores a key's last use only if it is later than the stored use by more than `granularityMilliseconds`. Must skip a
   * key that another transaction has locked.
   */
  storeUses(uses: ReadonlyMap<string, Date>, granularityMilliseconds: number): Promise<void>;
  /**
   * Runs the work in one transaction, as described at `Repositories`. Only one transaction at a time can change the
   * owner's keys.
   *
   * @param ownerId null for an operator, who can change the keys of any owner
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
  /** Must return false and change nothing if the key is already revoked. */
  revoke(id: string, revokedAt: Date, change: SettingsChange): Promise<boolean>;
  /**
   * Adds the new key and sets the expiry of the old key, in one step. Must return false and change nothing if the old
   * key was revoked or replaced meanwhile.
   *
   * @param olderEndsAt the new expiry of the key that the old key replaced, if that key would otherwise work longer
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
  /** Returns the digest of a key's secret, which is also the name of the key's rate limit bucket. */
  readDigest(id: string): Promise<string | null>;
}

export interface CompanyKeys extends Keys<CompanyKey> {
  /**
   * Returns null if the credential doesn't belong to a working key. Must see every change that was committed before the
   * call. Concurrent calls must share one SQL statement. The check must run the same steps for a revoked or expired key
   * as for an unknown credential.
   */
  authenticate(question: KeyQuestion): Promise<CallingCompanyKey | null>;
}

export interface MailReader extends Pick<Contact, 'id' | 'email' | 'role'>, MailSettings {}

export interface Contacts {
  find(id: string): Promise<Contact | null>;
  findMailReader(id: string): Promise<MailReader | null>;
  /** Sets the language of all contacts with the address. Sets the time zone only for contacts without a time zone. */
  saveLocale(email: string, locale: Pick<MailSettings, 'language' | 'timeZone'>): Promise<void>;
  /** Lists contacts, oldest first. Null means the contacts of all owners. */
  list(owner: OwnerOrOperator): Promise<Contact[]>;
  /** Like `Keys.transact`, but for the contacts of an owner. */
  transact<T>(
    owner: Owner,
    credential: ActingCredential | null,
    work: (contacts: ChangedContacts) => Promise<T>,
  ): Promise<T>;
}

/** Contacts within a transaction. Each change is written with its entry in the settings log. */
export interface ChangedContacts extends Pick<Contacts, 'find' | 'list'> {
  /**
   * Must return false and add nothing if the owner already has a contact with the address. With an invitation ID, also
   * queues an invitation mail that is due at once.
   */
  add(contact: Contact, invitationId: string | undefined, change: SettingsChange): Promise<boolean>;
  /** Returns true if the contact existed. */
  saveRole(id: string, role: Role, change: SettingsChange): Promise<boolean>;
  /** Writes no entry in the settings log, because the settings affect only this person. */
  saveMailSettings(id: string, settings: MailSettings): Promise<void>;
  /**
   * Returns true if the contact existed. If no other contact has the address, must also remove the sessions and sign-in
   * links of the address. So these can't work for a contact that is added later with the same address.
   */
  remove(id: string, change: SettingsChange): Promise<boolean>;
}

/** Checks credentials for use cases that don't run in a single transaction. */
export interface ActingCredentials {
  /** Checks the credential in a separate transaction. */
  check(credential: ActingCredential | null): Promise<void>;
}

export interface AccessTokens {
  /**
   * Verifies an access token. Returns null if the token can't be trusted, for any reason. Waits for the authorization
   * server only if needed, and at most a few seconds. Rejects with `service_unavailable` while the keys of the
   * authorization server are unknown.
   */
  verify(token: string, now: Date): Promise<AccessToken | null>;
}

export interface RateLimiter {
  readonly policy: RateLimitPolicy;
  /**
   * Spends points from a bucket. With 0 points, only returns the state. Must count the points of all processes that
   * share the store. Must not reject, and must not take longer than 50 ms. If the store is down or hangs, this process
   * counts alone. Callers can invent credentials, and each credential has a bucket. So memory must not grow with the
   * number of buckets.
   */
  spend(bucket: string, points: number): Promise<Spending>;
}
