export interface Clock {
  /** Returns the present time. The result must not be cached, because a grant expires exactly at its expiry time. */
  now(): Date;
}

export type IdPrefix =
  | 'inv'
  | 'co'
  | 'key'
  | 'ck'
  | 'ct'
  | 'ml'
  | 'ds'
  | 'sl'
  | 'ar'
  | 'evt'
  | 'we'
  | 'clm'
  | 'rec'
  | 'chg';

export interface Ids {
  /** Returns `{prefix}_` and a unique, unguessable text. Later IDs sort after earlier ones. */
  next(prefix: IdPrefix): string;
}

export interface Cryptography {
  /** The bytes must come from a cryptographic source. */
  randomBytes(count: number): Uint8Array;
  /** SHA-256 of the text as UTF-8: 64 lower-case hexadecimal digits. */
  sha256(text: string): string;
}
