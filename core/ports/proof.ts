import type { PublicKey, SigningIdentity, SigningKey } from '../model/proof/signing-key.ts';
import type { PublicJwk, UpstreamSigner } from '../model/proof/upstream-signer.ts';

/** Keys are never removed: whoever finds an old signature must learn with which key it was made. */
export interface SigningKeys {
  /**
   * Registers a public key that signs here, or finds it: the same key has one number for ever, whoever registers it at
   * the same time.
   *
   * @param signsAt defaults to `now`; a registered key keeps its own if that is earlier
   * @throws Refusal `signing_key_conflict` when the key is retired
   */
  register(key: PublicKey, now: Date, signsAt?: Date): Promise<SigningKey>;
  /**
   * Finds a public key that signs here; registers it when none ever did. Null when only others are registered.
   *
   * @throws Refusal `signing_key_conflict` when the key is retired
   */
  registerFirst(key: PublicKey, now: Date): Promise<SigningKey | null>;
  /** By number. */
  list(): Promise<readonly SigningKey[]>;
  /**
   * Must not retire a key on which a value or a receipt depends, and must let none be stored whose key is retired, also
   * when both are attempted at the same time. What is retired stays so: again it is `retired`, and nothing changes.
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
   * Makes a key, registers it, and only then puts it into the place of the present one, which may be missing. The present
   * key signs until the new one has been published for five minutes.
   *
   * @throws Error when no place for a key is configured, it can't be written, or another key waits
   */
  rotate(options?: NewKeyOptions): Promise<SigningKeyRotation>;
  /**
   * Registers the key that was put into the configured place. An unregistered key signs nothing.
   *
   * @throws Error when the file holds no usable key, or another key waits
   */
  register(options?: NewKeyOptions): Promise<Pick<SigningKey, 'kid' | 'signsAt'>>;
}

/** The public keys with which values may be signed before they come here, by company. */
export interface UpstreamSigners {
  /** Must change nothing when the id is there already; answers whether the key of the id is this one now. */
  add(signer: UpstreamSigner): Promise<boolean>;
  /** By the instant of their registration, then id. */
  list(companyId: string): Promise<readonly UpstreamSigner[]>;
  /** Answers whether it was there. */
  remove(companyId: string, kid: string): Promise<boolean>;
}

export interface JwsVerifier {
  /** Whether these members are a key. */
  isUsable(jwk: PublicJwk): Promise<boolean>;
  /** Whether the compact JWS is signed with the key, by an algorithm of its type, and demands nothing else. */
  verify(jws: string, jwk: PublicJwk): Promise<boolean>;
}
