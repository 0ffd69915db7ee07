import type { ImportRecord } from '../import-record.ts';

export interface ImportCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
}

export interface ImportProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly reason: string;
}

export interface ImportLine {
  readonly line: number;
  readonly record: ImportRecord;
}

/**
 * One import under way. Nothing of it is visible to a reader until it is applied; must hold no lock that a reader would
 * wait for before that, and no more than a batch in memory.
 */
export interface ImportSession {
  stage(batch: readonly ImportLine[]): Promise<void>;
  /** What only the whole shows, by line: a company that neither the database nor the import knows, and the like. */
  findProblems(): AsyncIterable<ImportProblem>;
  /**
   * Makes everything but the lines with problems visible, in one transaction. Of several lines about the same thing the last one counts. A record
   * that says what is known already must change nothing and counts as unchanged.
   */
  apply(): Promise<ImportCounts>;
  /** Forgets what was staged; must be called at the end of every session, applied or not. */
  close(): Promise<void>;
}

export interface Imports {
  begin(id: string, startedAt: Date): Promise<ImportSession>;
}
