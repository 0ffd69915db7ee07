import type { Environment } from './environment.ts';

/** The organisation behind a key. It has one portfolio: a set of companies of its own environment. */
export interface Investor {
  readonly id: string;
  readonly name: string;
  readonly environment: Environment;
  readonly createdAt: Date;
}
