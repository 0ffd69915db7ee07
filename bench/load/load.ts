/** The input of the load generator. */
export interface Load {
  readonly port: number;
  /** A JSON file with a list of `LoadRequest`. */
  readonly requestsFile: string;
  readonly connections: number;
  /** Requests per second. Null for a closed loop: each connection sends its next request after a response. */
  readonly rate: number | null;
  readonly warmupSeconds: number;
  readonly seconds: number;
}

/** The measured result, without the warm-up. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Latencies in milliseconds. */
  readonly latency: Readonly<Record<'p50' | 'p99', number>>;
  /** The failed responses by status. Failures with the status 200 count under a description. */
  readonly failures: Readonly<Record<string, number>>;
  readonly meanBodyBytes: number;
}
