import type { LoadRequest } from './requests.ts';

/** What the generator is told to do. */
export interface Load {
  readonly port: number;
  /** A JSON file with the requests. */
  readonly requestsFile: string;
  readonly connections: number;
  /** Requests a second, whatever the answers do; null: each connection asks again as soon as it was answered. */
  readonly rate: number | null;
  readonly warmupSeconds: number;
  readonly seconds: number;
  /** One in so many requests is sent when the data of its company has just been changed; absent: none. */
  readonly changes?: { readonly databaseUrl: string; readonly oneIn: number };
}

/** What it saw, the warm-up left out; durations in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly latency: Readonly<Record<'p50' | 'p90' | 'p99' | 'max', number>>;
  /** Of answers with another status than 200 only. */
  readonly refusalLatency: Readonly<Record<'p50' | 'p99' | 'max', number>>;
  /** Answers of another status than 200, with the status or what else went wrong. */
  readonly failures: Readonly<Record<string, number>>;
  readonly meanBodyBytes: number;
  /** How often data was changed, the warm-up included. */
  readonly changes: number;
  /** How much of its time the generator was busy; near 1 it is what was measured. */
  readonly generatorBusy: number;
}

export type RequestList = readonly LoadRequest[];
