export interface Cryptography {
  /** Must come from a cryptographic source. */
  randomBytes(count: number): Uint8Array;
  /** SHA-256 of the text as UTF-8: 64 lower-case hexadecimal digits. */
  sha256(text: string): string;
}
