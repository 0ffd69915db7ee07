/** The public half of a key pair of ours (Ed25519). */
export interface PublicKey {
  /** The thumbprint of the key (RFC 7638). */
  readonly kid: string;
  /** Its 32 bytes in base64url, as a JWK has them. */
  readonly x: string;
}

export interface SigningKey extends PublicKey {
  /** The number that is stored with a signature instead of the kid. A number never gets another kid. */
  readonly number: number;
  readonly createdAt: Date;
  readonly retiredAt: Date | null;
  /** Whether it is the key of another service, whose signed values were imported; it signs nothing here. */
  readonly isImported: boolean;
}

/** A key that signs now. */
export interface SigningIdentity {
  readonly keyNumber: number;
  readonly kid: string;
  /** The 64 bytes of the signature over the text as UTF-8. */
  sign(text: string): Uint8Array;
}
