import type { Neighbours } from '../../results.ts';

export interface Read {
  /** In milliseconds. */
  readonly latency: number;
  /** `200`, another status, or why there was none; `wrong data` for a 200 that is not what the tables say. */
  readonly answer: string;
}

export function summarize(reads: readonly Read[]): Neighbours['attacks'][number]['quiet'] {
  const latencies = reads.map(({ latency }) => latency).sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))] ?? Number.NaN;
  const answers = Object.groupBy(reads, ({ answer }) => answer);
  return {
    reads: reads.length,
    p50: at(0.5),
    p99: at(0.99),
    worst: at(1),
    answers: Object.fromEntries(
      Object.entries(answers).map(([answer, some = []]) => [answer, some.length]),
    ),
  };
}
