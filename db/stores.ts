import type { StatementRunner } from './prepared-statements.ts';
import type { Store } from './store.ts';

/** The ways into one database. */
export interface Stores {
  /** For what callers wait for, with limits on time. */
  readonly requests: Store;
  /** For the questions of all callers that share a statement. */
  readonly questions: StatementRunner;
  /** For imports and the like, without limits. */
  readonly longWork: Store;
}
