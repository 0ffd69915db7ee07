import type { LoadRequest } from './requests.ts';

/** The input of the generator. */
export interface Load {
  readonly port: number;
  /** A JSON file with the requests. */
  readonly requestsFile: string;
  readonly connections: number;
  /**
   * Requests per second, independent of the answers. With null, each connection sends its next request after the
   * answer.
   */
  readonly rate: number | null;
  readonly warmupSeconds: number;
  readonly seconds: number;
  /**
   * One request in this number is sent right after a change of its company's data. Without this, there are no changes.
   */
  readonly changes?: { readonly databaseUrl: string; readonly oneIn: number };
}

/** The result without the warm-up. Durations in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly latency: Readonly<Record<'p50' | 'p90' | 'p99' | 'max', number>>;
  /** Only of answers with another status than 200. */
  readonly refusalLatency: Readonly<Record<'p50' | 'p99' | 'max', number>>;
  /** Answers with another status than 200, by the status or another defect. */
  readonly failures: Readonly<Record<string, number>>;
  readonly meanBodyBytes: number;
  /** The number of changes, including the warm-up. */
  readonly changes: number;
  /** The part of the time in which the generator was busy. Near 1, the generator itself was measured. */
  readonly generatorBusy: number;
}

export type RequestList = readonly LoadRequest[];
