import type { PublicKey, SigningIdentity, SigningKey } from '../model/proof/signing-key.ts';
import type { PublicJwk, UpstreamSigner } from '../model/proof/upstream-signer.ts';

/** Keys are never removed, because old signatures must stay verifiable. */
export interface SigningKeys {
  /**
   * Registers a public key that signs here, or finds it. A key has the same number forever, even if several processes
   * register it at once.
   *
   * @param signsAt defaults to `now`; a registered key keeps its own if that is earlier
   * @throws Refusal `signing_key_conflict` if the key is retired
   */
  register(key: PublicKey, now: Date, signsAt?: Date): Promise<SigningKey>;
  /**
   * Finds a public key that signs here. Registers it if there never was one. Returns null if only other keys are
   * registered.
   *
   * @throws Refusal `signing_key_conflict` if the key is retired
   */
  registerFirst(key: PublicKey, now: Date): Promise<SigningKey | null>;
  /** Sorted by number. */
  list(): Promise<readonly SigningKey[]>;
  /**
   * Must not retire a key that a value or receipt depends on, and must not store anything under a retired key, also
   * when
   * both happen at once. Retiring twice returns `retired` and changes nothing.
   */
  retire(kid: string, now: Date): Promise<'retired' | 'in_use' | 'unknown'>;
}

export interface NewKeyOptions {
  /** The key signs at once, before verifiers can know it. For a compromised key. */
  readonly atOnce?: boolean;
}

export interface SigningKeyRotation extends Pick<SigningKey, 'kid' | 'signsAt'> {
  readonly previousKid: string | null;
}

export interface Signer {
  /**
   * Returns the registered key that signs now; null without one. Call it for each piece of work. Never call it inside a
   * transaction: it may query the database, and the embedded database has a single session.
   */
  current(): Promise<SigningIdentity | null>;
  /** Reads the configured key again. Returns false and keeps the present key if the new one can't be used. */
  reload(): Promise<boolean>;
  /**
   * Makes a key, registers it, and then puts it in the place of the present one, which may be missing. The present key
   * signs until the new one has been published for five minutes.
   *
   * @throws Error if no place for a key is configured, it can't be written, or another key waits
   */
  rotate(options?: NewKeyOptions): Promise<SigningKeyRotation>;
  /**
   * Registers the key that an operator put in the configured place. An unregistered key signs nothing.
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
  /** Returns true if these members form a key. */
  isUsable(jwk: PublicJwk): Promise<boolean>;
  /** Returns true if the compact JWS is signed with the key by an algorithm of its type, and has no critical extensions. */
  verify(jws: string, jwk: PublicJwk): Promise<boolean>;
}
