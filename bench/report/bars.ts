import type { ProgramName } from '../catalogue.ts';
import type { Figure, LoadKind, Results } from '../results.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import type { WorkloadName } from '../workloads.ts';
import { formatSpread } from './format.ts';
import { ratio, spread } from './ratios.ts';

export interface Bar {
  readonly what: string;
  readonly asked: string;
  readonly measured: string;
  /** Null: it was not measured. */
  readonly passed: boolean | null;
}

/** Every bar, judged by the median over the rounds. */
export function judge(results: Results): Bar[] {
  const side = (workload: WorkloadName, program: ProgramName, load: LoadKind = 'many') =>
    ({ workload, program, load }) as const;
  const times = (
    what: string,
    least: number,
    workload: WorkloadName,
    other: ReturnType<typeof side>,
  ) =>
    bar(
      what,
      least,
      'least',
      ratio(results, side(workload, 'ours'), other, 'requestsPerSecond'),
      '×',
    );
  const metrics = (program: ProgramName, load: LoadKind = 'many') => side('metrics', program, load);
  const half = [metrics('ours, four workers', 'half'), metrics('ours', 'half')] as const;
  const cpu: Figure[] = ['programCpu', 'postgresCpu'];
  const { atRest } = results;
  const once = (value: number | undefined) => (value === undefined ? null : spreadOf([value]));
  return [
    times('REST latest metrics, to textbook', 20, 'metrics', metrics('textbook')),
    times(
      'REST latest metrics, to the ceiling that commits its record too',
      3.3,
      'metrics',
      metrics('ceiling, recorded'),
    ),
    bar(
      'One connection: latency, to the ceiling that commits its record too',
      1.25,
      'most',
      ratio(results, metrics('ours', 'one'), metrics('ceiling, recorded', 'one'), 'p50'),
      '×',
    ),
    times(
      'REST latest metrics, to the batched ceiling',
      0.85,
      'metrics',
      metrics('batched ceiling'),
    ),
    bar(
      'REST latest metrics, p99 at half of our own maximum',
      10,
      'most',
      spread(results, half[1], 'p99'),
      ' ms',
    ),
    ...(['postgraphile', 'hand-written'] as const).map((program) =>
      times(`GraphQL dashboard, to ${program}`, 4.5, 'dashboard', side('dashboard', program)),
    ),
    times('tRPC single call, to our REST', 0.85, 'trpc', metrics('ours')),
    times(
      'REST history with gzip, to textbook',
      100,
      'history-gzip',
      side('history-gzip', 'textbook'),
    ),
    bar(
      'Four processes to one at the same load, processor time of all a request',
      1.25,
      'most',
      ratio(results, ...half, ...cpu),
      '×',
    ),
    bar(
      'Memory at full load, dashboards',
      300,
      'most',
      spread(results, side('dashboard', 'ours'), 'memory'),
      ' MiB',
    ),
    bar('At rest, on PostgreSQL', 150, 'most', once(atRest?.postgres.mebibytes), ' MiB'),
    bar('At rest, embedded', 300, 'most', once(atRest?.embedded.mebibytes), ' MiB'),
    bar(
      'Idle, of a core, on PostgreSQL and embedded',
      0.3,
      'most',
      atRest && once(Math.max(atRest.postgres.busyPercent, atRest.embedded.busyPercent)),
      ' %',
    ),
    bar('First start until it serves', 3, 'most', once(atRest?.firstStart.seconds), ' s'),
    bar('First start, memory at most', 500, 'most', once(atRest?.firstStart.mebibytes), ' MiB'),
  ];
}

function bar(
  what: string,
  bound: number,
  kind: 'least' | 'most',
  measured: Spread | null,
  unit: string,
): Bar {
  const passed =
    measured && (kind === 'least' ? measured.median >= bound : measured.median <= bound);
  return {
    what,
    asked: `at ${kind} ${bound}${unit}`,
    measured: formatSpread(measured, unit),
    passed,
  };
}
