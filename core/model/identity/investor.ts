/** Two worlds that cannot name, reach or count anything in each other. */
export const environments = ['live', 'test'] as const;

export type Environment = (typeof environments)[number];

/** The organisation behind a key. It has one portfolio: a set of companies of its own environment. */
export interface Investor {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly createdAt: Date;
  /** While it is not null, the investor reads nothing. */
  readonly suspendedAt: Date | null;
}
