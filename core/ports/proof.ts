import type { PublicKey, SigningIdentity, SigningKey } from '../model/proof/signing-key.ts';
import type { PublicJwk, UpstreamSigner } from '../model/proof/upstream-signer.ts';

/** Keys are never removed, because old signatures must stay verifiable. */
export interface SigningKeys {
  /**
   * Registers the public half of a key that signs here. Returns the registered key if it is already registered. A key
   * keeps its number, even if several processes register it at once.
   *
   * @param signsAt defaults to `now`. A registered key keeps its `signsAt` if that is earlier than the given time
   * @throws Refusal `signing_key_conflict` if the key is retired
   */
  register(key: PublicKey, now: Date, signsAt?: Date): Promise<SigningKey>;
  /**
   * Registers the key if no key is registered yet. Returns the key if it is already registered. Returns null if only
   * other keys are registered.
   *
   * @throws Refusal `signing_key_conflict` if the key is retired
   */
  registerFirst(key: PublicKey, now: Date): Promise<SigningKey | null>;
  /** Lists all keys, sorted by number. */
  list(): Promise<readonly SigningKey[]>;
  /**
   * Retires a key. Must not retire a key while a stored value or receipt has a signature by this key. Signatures by a
   * retired key must be rejected, even if another process stores one at the same moment. Retiring a key again returns
   * `retired` and changes nothing.
   */
  retire(kid: string, now: Date): Promise<'retired' | 'in_use' | 'unknown'>;
}

export interface NewKeyOptions {
  /** True to replace a compromised key. The new key signs at once, before verifiers can know it. */
  readonly atOnce?: boolean;
}

export interface SigningKeyRotation extends Pick<SigningKey, 'kid' | 'signsAt'> {
  readonly previousKid: string | null;
}

export interface Signer {
  /**
   * Returns the registered key that signs now, or null. Call this method again for each task. Never call it inside a
   * transaction: the method can query the database, and the embedded database has only one session.
   */
  current(): Promise<SigningIdentity | null>;
  /** Reads the configured key again. Returns false and keeps the present key if the new one can't be used. */
  reload(): Promise<boolean>;
  /**
   * Creates and registers a key, and puts it in the configured file instead of the present key. The present key signs
   * until the new key has been published for five minutes.
   *
   * @throws Error if no file is configured, if the file can't be written, or if another new key still waits to sign
   */
  rotate(options?: NewKeyOptions): Promise<SigningKeyRotation>;
  /**
   * Registers the key that an operator put in the configured file. An unregistered key never signs.
   *
   * @throws Error if the file has no usable key, or if another new key still waits to sign
   */
  register(options?: NewKeyOptions): Promise<Pick<SigningKey, 'kid' | 'signsAt'>>;
}

/** The public keys of each company's signers, which sign values before the values arrive here. */
export interface UpstreamSigners {
  /** Must keep an existing key with this ID. Returns true if the stored key is the given key. */
  add(signer: UpstreamSigner): Promise<boolean>;
  /** Lists the company's signers, sorted by time of registration, then ID. */
  list(companyId: string): Promise<readonly UpstreamSigner[]>;
  /** Returns true if the key existed. */
  remove(companyId: string, kid: string): Promise<boolean>;
}

export interface JwsVerifier {
  /** Returns true if the members of the JWK form a valid key. */
  isUsable(jwk: PublicJwk): Promise<boolean>;
  /** Returns true if the key signed the JWS with a suitable algorithm and without critical extensions. */
  verify(jws: string, jwk: PublicJwk): Promise<boolean>;
}
