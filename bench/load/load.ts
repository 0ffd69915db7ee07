/** The input of the generator. */
export interface Load {
  readonly port: number;
  /** A JSON file with a list of `LoadRequest`. */
  readonly requestsFile: string;
  readonly connections: number;
  /** Requests per second. With null, each connection sends its next request after the answer. */
  readonly rate: number | null;
  readonly warmupSeconds: number;
  readonly seconds: number;
}

/** The result without the warm-up. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** In milliseconds. */
  readonly latency: Readonly<Record<'p50' | 'p99', number>>;
  /** The number of answers with another status than 200 or another defect, by that status or defect. */
  readonly failures: Readonly<Record<string, number>>;
  readonly meanBodyBytes: number;
}
