export interface Clock {
  /** The present time. Never cached, because a grant ends exactly at its end. */
  now(): Date;
}

/** The prefixes of IDs, by kind. */
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
  /** Returns `{prefix}_` and a unique part that is ordered by time and can't be guessed. */
  next(prefix: IdPrefix): string;
}

export interface Cryptography {
  /** Must come from a cryptographic source. */
  randomBytes(count: number): Uint8Array;
  /** SHA-256 of the text as UTF-8: 64 lower-case hexadecimal digits. */
  sha256(text: string): string;
}
