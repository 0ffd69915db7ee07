export interface Clock {
  /** The present instant. Must not be cached: a grant ends at its instant, not a moment later. */
  now(): Date;
}

/** The prefix of an id says what it names. */
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
  /** `{prefix}_` and a part that must be unique, ordered by time and not guessable. */
  next(prefix: IdPrefix): string;
}

export interface Cryptography {
  /** Must come from a cryptographic source. */
  randomBytes(count: number): Uint8Array;
  /** SHA-256 of the text as UTF-8: 64 lower-case hexadecimal digits. */
  sha256(text: string): string;
}
