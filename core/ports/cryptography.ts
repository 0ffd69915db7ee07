export interface Cryptography {
  /** Must come from a cryptographic source. */
  randomBytes(count: number): Uint8Array;
  /** SHA-256 of the text as UTF-8: 32 bytes. */
  sha256(text: string): Uint8Array;
}
