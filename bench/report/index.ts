import { writeFileSync } from 'node:fs';
import { type Program, programs } from '../catalogue.ts';
import type { Results } from '../results.ts';
import { connectionsOf, type WorkloadName, workloads } from '../workloads.ts';
import { judge } from './bars.ts';
import { formatNumber, formatSpread, ratio, spread } from './figures.ts';

export function writeReport(file: string, results: Results): void {
  const verdict = { true: 'yes', false: '**no**', null: 'not measured' } as const;
  const sections = [
    '# Results',
    '`npm run bench` wrote this page. [README.md](README.md) explains how each figure is measured.',
    ...(results.isSmoke
      ? ['**A smoke run: too short and too small to say anything about speed.**']
      : []),
    '## Bars',
    'A ratio compares two values of the same round. Each figure is the median of all rounds. With several rounds, the lowest and the highest value are in parentheses.',
    table(
      ['bar', 'asked', 'measured', 'passed'],
      judge(results).map(({ what, asked, measured, passed }) => [
        ...[what, asked, measured],
        verdict[`${passed}`],
      ]),
    ),
    '## Rates',
    ...describeWorkloads(results),
    ...describePrograms(results),
    '## Machine',
    describeMachine(results),
  ];
  writeFileSync(file, `${sections.join('\n\n')}\n`);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function describeWorkloads(results: Results): string[] {
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
      ...['CPU of the program, µs', 'CPU of PostgreSQL, µs', 'peak memory, MiB'],
      ...['ratio of ours to it', 'bytes of a body'],
    ];
    return [`### ${title}`, table(head, rows)];
  });
}

function describePrograms({ measurements }: Results): string[] {
  const names = new Set(measurements.map(({ program }) => program));
  const rows = [...names].map((program) => {
    const { what, leavesOut = 'nothing' }: Program = programs[program];
    return [program, what, leavesOut];
  });
  return [
    '### Programs and the features that they leave out',
    'Before the measurement, each program had to return the data of the tables with its signatures, refuse each forbidden read, notice a change of the data, lower the budget of the key, and commit the access records that it claims. A dashboard reads no signatures, only whether a value is signed.',
    table(['program', 'description', 'leaves out'], rows),
  ];
}

function describeMachine({ machine, command, sizes, atRest }: Results): string {
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
          `- At rest, the service took ${formatNumber(atRest.postgres.busyPercent)} % of a core on PostgreSQL and ${formatNumber(atRest.embedded.busyPercent)} % embedded. A Node process that wakes ten times a second and does nothing took ${formatNumber(atRest.control.busyPercent)} %`,
        ]),
    `- Node ${machine.node}, PostgreSQL ${machine.postgres} (${list(machine.postgresSettings)}), Redis ${machine.redis}, all on this machine`,
  ].join('\n');
}
