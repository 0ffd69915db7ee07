/** What `doctor --deep` compares, in the order in which it does. */
export const consistencyChecks = [
  'consents',
  'feed',
  'versions',
  'values',
  'names',
  'settings',
  'counts',
] as const;

export type ConsistencyCheck = (typeof consistencyChecks)[number];

/** Two places in the database that must agree and don't. */
export interface Inconsistency {
  readonly check: ConsistencyCheck;
  /** What it is about, by its id. */
  readonly subject: string;
  readonly problem: string;
}
