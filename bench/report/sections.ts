import { type Program, programs } from '../catalogue.ts';
import type { Results } from '../results.ts';
import { connectionsOf, type WorkloadName, workloads } from '../workloads.ts';
import { formatNumber, formatSpread, table } from './format.ts';
import { ratio, spread } from './ratios.ts';

export function describeWorkloads(results: Results): string[] {
  return Object.entries(workloads).flatMap(([name, { title, programs: measured, isAlsoAlone }]) => {
    const workload = name as WorkloadName;
    const [program] = measured;
    const ours = { workload, program, load: 'many' } as const;
    const rows = measured.flatMap((program) => {
      const side = { workload, program, load: 'many' } as const;
      const of = (figure: Parameters<typeof spread>[2], load: 'many' | 'one' = 'many') =>
        formatSpread(spread(results, { ...side, load }, figure));
      if (spread(results, side, 'requestsPerSecond') === null) return [];
      return [
        [
          ...[program, of('requestsPerSecond'), of('p50'), of('p99')],
          ...(isAlsoAlone ? [of('p50', 'one')] : []),
          ...[of('programCpu'), of('postgresCpu'), of('memory')],
          program === ours.program || ours.program === undefined
            ? ''
            : formatSpread(
                ratio(results, { ...side, program: ours.program }, side, 'requestsPerSecond'),
                '×',
              ),
          formatNumber(spread(results, side, 'bytes')?.median ?? Number.NaN),
        ],
      ];
    });
    if (rows.length === 0) return [];
    const connections = connectionsOf(workload, results.connections);
    const head = [
      ...['program', `requests/s, ${connections} connections`, 'p50, ms', 'p99, ms'],
      ...(isAlsoAlone ? ['p50 alone, ms'] : []),
      ...['CPU of the program, µs', 'CPU of PostgreSQL, µs', 'memory at most, MiB'],
      ...['ours to it', 'bytes a body'],
    ];
    return [`### ${title}`, table(head, rows)];
  });
}

export function describeHalfLoad(results: Results): string[] {
  const side = { workload: 'metrics', program: 'ours', load: 'half' } as const;
  const rate = results.measurements.find(({ load }) => load === 'half')?.rate;
  if (rate === undefined || rate === null) return [];
  return [
    '### Latency of ours at half of its maximum',
    `REST latest metrics at ${formatNumber(rate)} requests a second, whatever the answers do; latency from the instant at which each request was due: ` +
      `p50 ${formatSpread(spread(results, side, 'p50'), ' ms')}, p99 ${formatSpread(spread(results, side, 'p99'), ' ms')}.`,
  ];
}

export function describePrograms({ observed }: Results): string[] {
  const yes = (is: boolean) => (is ? 'yes' : 'no');
  const rows = observed
    .filter(({ program }, index) => observed.findIndex((one) => one.program === program) === index)
    .map(({ program, workload, records, counts, namesRequests, isLeastPrivileged }) => {
      const { what, leavesOut = 'nothing' }: Program = programs[program];
      const seen = [yes(counts), yes(namesRequests), yes(isLeastPrivileged)];
      return [program, what, leavesOut, workload, String(records), ...seen];
    });
  return [
    '### The programs, and the features that they leave out',
    'Before anything was measured each program had to answer like the tables, signatures included, to refuse what must be refused, and to notice a change of the data. The last five columns were observed, not claimed, in the workload that they name. A dashboard asks whether a value is signed, and not for the signature.',
    table(
      [
        ...['program', 'what it is', 'leaves out', 'observed in', 'records committed a request'],
        ...['counts in Redis', 'names the request', 'as roles that own nothing'],
      ],
      rows,
    ),
  ];
}

export function describeMachine({ machine, command, sizes, atRest }: Results): string {
  const list = (entries: Readonly<Record<string, string | number>>) =>
    Object.entries(entries)
      .map(([key, value]) => `${key} ${value}`)
      .join(', ');
  return [
    `- \`${command}\`, ${machine.at}, commit ${machine.commit}; ${list({ ...sizes })}`,
    `- ${machine.cpu}, ${machine.memoryGiB} GiB, Linux ${machine.kernel}; load before the run ${machine.loadBefore.toFixed(2)}`,
    ...(atRest === null
      ? []
      : [
          `- A bare Node process that wakes ten times a second and does nothing then took ${formatNumber(atRest.control.busyPercent)} % of a core, where ours at rest took ${formatNumber(atRest.postgres.busyPercent)} on PostgreSQL and ${formatNumber(atRest.embedded.busyPercent)} embedded`,
        ]),
    `- Node ${machine.node}, PostgreSQL ${machine.postgres} (${list(machine.postgresSettings)}), Redis ${machine.redis}, all on this machine`,
    `- ${list(machine.packages)}`,
  ].join('\n');
}
