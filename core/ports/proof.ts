import type { PublicKey, SigningIdentity, SigningKey } from '../model/proof/signing-key.ts';
import type { PublicJwk, UpstreamSigner } from '../model/proof/upstream-signer.ts';

/** Keys are never removed, because old signatures must stay verifiable. */
export interface SigningKeys {
  /**
   * Registers a public key that signs here, or finds it. A key keeps its number, even if several processes register it
   * at once.
   *
   * @param signsAt defaults to `now`. A registered key keeps its own time if that is earlier
   * @throws Refusal `signing_key_conflict` if the key is retired
   */
  register(key: PublicKey, now: Date, signsAt?: Date): Promise<SigningKey>;
  /**
   * Like `register` if the key is registered, or if there is no key at all. Returns null if only other keys are
   * registered.
   *
   * @throws Refusal `signing_key_conflict` if the key is retired
   */
  registerFirst(key: PublicKey, now: Date): Promise<SigningKey | null>;
  /** Sorted by number. */
  list(): Promise<readonly SigningKey[]>;
  /**
   * Must not retire a key that a value or receipt depends on, and must not store a signature of a retired key, even if
   * both happen at once. Retiring twice returns `retired` and changes nothing.
   */
  retire(kid: string, now: Date): Promise<'retired' | 'in_use' | 'unknown'>;
}

export interface NewKeyOptions {
  /** For a compromised key: the new key signs before verifiers can know it. */
  readonly atOnce?: boolean;
}

export interface SigningKeyRotation extends Pick<SigningKey, 'kid' | 'signsAt'> {
  readonly previousKid: string | null;
}

export interface Signer {
  /**
   * Returns the registered key that signs now, or null. Call it for each piece of work. Never call it inside a
   * transaction: it can query the database, and the embedded database has a single session.
   */
  current(): Promise<SigningIdentity | null>;
  /** Reads the configured key again. Returns false and keeps the present key if the new one can't be used. */
  reload(): Promise<boolean>;
  /**
   * Creates and registers a key, then configures it in place of the present key, if there is one. The present key signs
   * until the new one has been published for five minutes.
   *
   * @throws Error if no place for a key is configured, the place can't be written, or another key waits
   */
  rotate(options?: NewKeyOptions): Promise<SigningKeyRotation>;
  /**
   * Registers the key that an operator put in the configured place. An unregistered key never signs.
   *
   * @throws Error if the file has no usable key, or another key waits
   */
  register(options?: NewKeyOptions): Promise<Pick<SigningKey, 'kid' | 'signsAt'>>;
}

/** The public keys of parties that sign values before they arrive here, by company. */
export interface UpstreamSigners {
  /** Must change nothing if the ID is taken. Returns true if the ID now belongs to this key. */
  add(signer: UpstreamSigner): Promise<boolean>;
  /** Sorted by time of registration, then ID. */
  list(companyId: string): Promise<readonly UpstreamSigner[]>;
  /** Returns true if the key existed. */
  remove(companyId: string, kid: string): Promise<boolean>;
}

export interface JwsVerifier {
  /** Returns true if the members form a valid key. */
  isUsable(jwk: PublicJwk): Promise<boolean>;
  /**
   * Returns true if the key signed the compact JWS with an algorithm of its type. Returns false for critical
   * extensions.
   */
  verify(jws: string, jwk: PublicJwk): Promise<boolean>;
}
