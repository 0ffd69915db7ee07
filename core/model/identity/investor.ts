/** Two separate environments. A caller in one environment can't access or detect anything in the other environment. */
export const environments = ['live', 'test'] as const;

export type Environment = (typeof environments)[number];

/** The organisation that owns API keys. Its portfolio contains companies of the same environment. */
export interface Investor {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly createdAt: Date;
  /** Set while the investor is suspended. A suspended investor can't read anything. */
  readonly suspendedAt: Date | null;
}
