import type { ProgramName } from '../catalogue.ts';
import type { Growth, LoadKind, Rates, Results } from '../results.ts';
import type { Spread } from '../statistics.ts';
import type { WorkloadName } from '../workloads.ts';
import { formatNumber, formatSpread } from './format.ts';
import { type Figure, ratio, spread } from './ratios.ts';

export interface Bar {
  readonly what: string;
  readonly asked: string;
  readonly measured: string;
  /** Null: it was not measured. */
  readonly passed: boolean | null;
}

const ours = (workload: WorkloadName, load: LoadKind = 'many') =>
  ({ workload, program: 'ours', load }) as const;
const peer = (workload: WorkloadName, program: ProgramName, load: LoadKind = 'many') =>
  ({ workload, program, load }) as const;

/** Every bar of the issue, judged by the median over the rounds. */
export function judge(results: Partial<Results>): Bar[] {
  return [
    ...judgeRates(results.rates),
    ...judgeHistories(results.histories ?? results.rates),
    ...judgeOthers(results),
  ];
}

function judgeRates(rates: Rates | undefined): Bar[] {
  const times = (
    what: string,
    workload: WorkloadName,
    other: ReturnType<typeof peer>,
    least: number,
  ) =>
    bar(
      what,
      least,
      'least',
      rates && ratio(rates, ours(workload), other, 'requestsPerSecond'),
      '×',
    );
  const alone = (program: ProgramName) =>
    rates && ratio(rates, ours('metrics', 'one'), peer('metrics', program, 'one'), 'p50' as Figure);
  return [
    times('REST latest metrics, to textbook', 'metrics', peer('metrics', 'textbook'), 15),
    times('REST latest metrics, to the ceiling', 'metrics', peer('metrics', 'ceiling'), 2.5),
    times(
      'REST latest metrics, to the batched ceiling',
      'metrics',
      peer('metrics', 'batched ceiling'),
      0.75,
    ),
    bar(
      'REST latest metrics, p99 at half of our own maximum',
      20,
      'most',
      rates && spread(rates, ours('metrics', 'half'), 'p99'),
      ' ms',
    ),
    bar('One connection: latency, to the ceiling', 1.5, 'most', alone('ceiling'), '×'),
    bar(
      'One connection: latency, to the ceiling that commits its record too',
      1.5,
      'most',
      alone('ceiling, recorded'),
      '×',
    ),
    times('GraphQL dashboard, to PostGraphile', 'dashboard', peer('dashboard', 'postgraphile'), 3),
    times(
      'GraphQL dashboard, to the hand-written server',
      'dashboard',
      peer('dashboard', 'hand-written'),
      2,
    ),
    times('tRPC single call, to our REST', 'trpc', ours('metrics'), 0.5),
  ];
}

function judgeHistories(rates: Rates | undefined): Bar[] {
  const times = (what: string, workload: WorkloadName, least: number) => {
    const textbook = peer(workload, 'textbook');
    const measured = rates && ratio(rates, ours(workload), textbook, 'requestsPerSecond');
    return bar(what, least, 'least', measured, '×');
  };
  return [
    times('REST history, to textbook', 'history', 7),
    times('REST history to a caller that accepts gzip, to textbook', 'history-gzip', 20),
  ];
}

function judgeOthers({ growth, revocation, kills, memory }: Partial<Results>): Bar[] {
  return [
    ...judgeGrowth(growth),
    {
      what: 'Revocation under full load: reads answered that began after the commit',
      asked: '0 of 10,000 revocations, two processes',
      measured: revocation
        ? `${revocation.answeredAfterCommit} of ${formatNumber(revocation.revocations)} revocations, ` +
          `${revocation.processes} processes, ${formatNumber(revocation.readsAfterCommit)} reads after a commit`
        : 'not measured',
      passed: revocation
        ? revocation.answeredAfterCommit === 0 &&
          revocation.refusedBefore === 0 &&
          isWithoutFailures(revocation) &&
          revocation.readsAfterCommit > 0 &&
          revocation.reads > revocation.readsAfterCommit &&
          revocation.revocations >= 10_000
        : null,
    },
    {
      what: 'Kill −9 under load: answers received without an access record',
      asked: '0 in 100 kills',
      measured: kills
        ? `${kills.missing} in ${kills.kills} kills, ${formatNumber(kills.reads)} answers`
        : 'not measured',
      passed: kills ? kills.missing === 0 && kills.kills >= 100 && kills.reads > 0 : null,
    },
    {
      what: 'Memory: resident size at the end of ten minutes at full load, to minute 2',
      asked: 'at most 1.2×',
      measured: memory ? describeMemory(memory.samples) : 'not measured',
      passed: memory
        ? memory.samples.length >= 600 &&
          isWithoutFailures(memory) &&
          memory.requestsPerSecond > 0 &&
          growthOf(memory.samples) <= 1.2
        : null,
    },
  ];
}

/** A service that answers nothing tells no secret and grows by nothing. */
const isWithoutFailures = ({ failures }: { failures: Readonly<Record<string, number>> }) =>
  Object.keys(failures).length === 0;

function judgeGrowth(growth: Growth | undefined): Bar[] {
  const [small] = growth?.stages ?? [];
  const large = growth?.stages.at(-1);
  if (small === undefined || large === undefined || small === large) {
    return [bar('Growth', 1.3, 'most', undefined, '×')];
  }
  return large.costs.map(({ what, p50 }) => {
    const before = small.costs.find((cost) => cost.what === what)?.p50 ?? Number.NaN;
    const value = p50 / before;
    const sizes =
      `from ${formatNumber(small.requests)} to ${formatNumber(large.requests)} requests, ` +
      `${formatNumber(small.points)} to ${formatNumber(large.points)} points`;
    return {
      what: `Growth: ${what}`,
      asked: `at most 1.3×, ${sizes}`,
      measured: `${formatNumber(value)}×`,
      passed: value <= 1.3 && large.requests >= 1_000_000 && large.points >= 10_000_000,
    };
  });
}

export const markSeconds = 120;

/** The mean of five seconds at the end, to that at minute 2. */
export function growthOf(samples: readonly number[]): number {
  return meanBefore(samples, samples.length) / meanBefore(samples, markSeconds);
}

function meanBefore(samples: readonly number[], second: number): number {
  const some = samples.slice(Math.max(0, second - 5), second);
  return some.reduce((sum, sample) => sum + sample, 0) / some.length;
}

const describeMemory = (samples: readonly number[]) =>
  `${formatNumber(growthOf(samples))}× (${formatNumber(meanBefore(samples, markSeconds))} → ` +
  `${formatNumber(meanBefore(samples, samples.length))} MiB in ${samples.length} s)`;

function bar(
  what: string,
  bound: number,
  kind: 'least' | 'most',
  measured: Spread | null | undefined,
  unit: string,
): Bar {
  const passed = measured
    ? kind === 'least'
      ? measured.median >= bound
      : measured.median <= bound
    : null;
  return {
    what,
    asked: `at ${kind} ${bound}${unit}`,
    measured: formatSpread(measured ?? null, unit),
    passed,
  };
}
