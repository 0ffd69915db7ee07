/** The input of the generator. */
export interface Load {
  readonly port: number;
  /** A JSON file with a list of `LoadRequest`. */
  readonly requestsFile: string;
  readonly connections: number;
  /** Requests per second. If null, each connection sends its next request after the answer to the last one. */
  readonly rate: number | null;
  readonly warmupSeconds: number;
  readonly seconds: number;
}

/** The result of a load. Omits the warm-up. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** In milliseconds. */
  readonly latency: Readonly<Record<'p50' | 'p99', number>>;
  /** The number of failed answers, by status if the status isn't 200, or by the name of another defect. */
  readonly failures: Readonly<Record<string, number>>;
  readonly meanBodyBytes: number;
}
