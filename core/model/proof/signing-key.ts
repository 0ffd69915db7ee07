/** The public half of a key pair of ours (Ed25519). */
export interface PublicKey {
  /** The thumbprint of the key (RFC 7638). */
  readonly kid: string;
  /** Its 32 bytes in base64url, as a JWK has them. */
  readonly x: string;
}

export interface SigningKey extends PublicKey {
  /** What is kept beside a signature in the place of the kid; it never changes its kid. */
  readonly number: number;
  readonly createdAt: Date;
  readonly retiredAt: Date | null;
  /** Of another service, from which values with its signatures were imported; it signs nothing here. */
  readonly isImported: boolean;
}

/** A key that signs now. */
export interface SigningIdentity {
  readonly keyNumber: number;
  readonly kid: string;
  /** The 64 bytes of the signature over the text as UTF-8. */
  sign(text: string): Uint8Array;
}
