import type { ProgramName } from '../catalogue.ts';
import type { LoadKind, Results, Side } from '../results.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import type { WorkloadName } from '../workloads.ts';
import { formatSpread, ratio, spread } from './figures.ts';

interface Bar {
  readonly what: string;
  readonly asked: string;
  readonly measured: string;
  /** True if the requirement is met. Null if it wasn't measured. */
  readonly passed: boolean | null;
}

export function judge(results: Results): Bar[] {
  const side = (workload: WorkloadName, program: ProgramName, load: LoadKind = 'many'): Side => ({
    ...{ workload, program, load },
  });
  const metrics = (program: ProgramName, load?: LoadKind) => side('metrics', program, load);
  const times = (what: string, least: number, other: Side, work = other.workload) =>
    bar(what, 'least', least, '×', ratio(results, side(work, 'ours'), other, 'requestsPerSecond'));
  const most = (what: string, bound: number, unit: string, measured: Spread | null) =>
    bar(what, 'most', bound, unit, measured);
  const ceiling = 'compared with the ceiling with access records';
  const half = [metrics('ours, four workers', 'half'), metrics('ours', 'half')] as const;
  const alone = [metrics('ours', 'one'), metrics('ceiling, recorded', 'one')] as const;
  const latencyAlone = ratio(results, ...alone, 'p50');
  const costOfFour = ratio(results, ...half, 'programCpu', 'postgresCpu');
  const { atRest } = results;
  const once = (value: number | undefined) => (value === undefined ? null : spreadOf([value]));
  const busy = atRest && Math.max(atRest.postgres.busyPercent, atRest.embedded.busyPercent);
  return [
    times('REST latest metrics, compared with textbook', 20, metrics('textbook')),
    times(`REST latest metrics, ${ceiling}`, 3.3, metrics('ceiling, recorded')),
    most(`Latency on one connection, ${ceiling}`, 1.25, '×', latencyAlone),
    times(
      'REST latest metrics, compared with the batched ceiling',
      0.85,
      metrics('batched ceiling'),
    ),
    most(
      'REST latest metrics, p99 at half of the maximum rate',
      10,
      ' ms',
      spread(results, half[1], 'p99'),
    ),
    ...(['postgraphile', 'hand-written'] as const).map((program) =>
      times(`GraphQL dashboard, compared with ${program}`, 4.5, side('dashboard', program)),
    ),
    times('tRPC single call, compared with our REST', 0.85, metrics('ours'), 'trpc'),
    times('REST history with gzip, compared with textbook', 100, side('history-gzip', 'textbook')),
    most(
      'Processor time of a request, four processes compared with one at the same load',
      1.25,
      '×',
      costOfFour,
    ),
    most(
      'Memory at full load, dashboards',
      300,
      ' MiB',
      spread(results, side('dashboard', 'ours'), 'memory'),
    ),
    most('Memory at rest, on PostgreSQL', 150, ' MiB', once(atRest?.postgres.mebibytes)),
    most('Memory at rest, embedded', 300, ' MiB', once(atRest?.embedded.mebibytes)),
    most(
      'Processor time at rest, part of one core',
      0.3,
      ' %',
      busy === null ? null : spreadOf([busy]),
    ),
    most('First start, time until ready', 3, ' s', once(atRest?.firstStart.seconds)),
    most('First start, peak memory', 500, ' MiB', once(atRest?.firstStart.mebibytes)),
  ];
}

function bar(
  what: string,
  kind: 'least' | 'most',
  bound: number,
  unit: string,
  measured: Spread | null,
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
