/** Two separate environments. Callers in one environment can't name, reach or count anything in the other. */
export const environments = ['live', 'test'] as const;

export type Environment = (typeof environments)[number];

/** The organisation that owns API keys. Its portfolio contains companies of the same environment. */
export interface Investor {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly createdAt: Date;
  /** While this is set, the investor can't read anything. */
  readonly suspendedAt: Date | null;
}
