/** Two separate environments. Nothing in one can name, reach or count anything in the other. */
export const environments = ['live', 'test'] as const;

export type Environment = (typeof environments)[number];

/** The organisation that owns keys. Its portfolio is a set of companies of the same environment. */
export interface Investor {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly createdAt: Date;
  /** If set, the investor can't read anything. */
  readonly suspendedAt: Date | null;
}
