/** The checks of the command `doctor --deep`, in the order in which they run. */
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

export interface Inconsistency {
  readonly check: ConsistencyCheck;
  /** The ID of the affected row. */
  readonly subject: string;
  readonly problem: string;
}
