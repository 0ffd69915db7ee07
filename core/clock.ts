export interface Clock {
  /** The present instant. Must not be cached: a grant ends at its instant, not a moment later. */
  now(): Date;
}
