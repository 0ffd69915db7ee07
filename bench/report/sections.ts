import { type Program, programs } from '../catalogue.ts';
import type { Generator, Growth, Rates, Run } from '../results.ts';
import { type WorkloadName, workloads } from '../workloads.ts';
import { formatNumber, formatSpread, table } from './format.ts';
import { ratio, spread } from './ratios.ts';

export function describeWorkloads(rates: Rates): string[] {
  return Object.entries(workloads).flatMap(([name, { title, programs: measured }]) => {
    const workload = name as WorkloadName;
    const rows = measured.flatMap((program) => {
      const side = { workload, program, load: 'many' } as const;
      const alone = { ...side, load: 'one' } as const;
      const rate = spread(rates, side, 'requestsPerSecond');
      if (rate === null) return [];
      const ours = { ...side, program: 'ours' } as const;
      return [
        [
          program,
          formatSpread(rate),
          formatSpread(spread(rates, side, 'p50')),
          formatSpread(spread(rates, side, 'p99')),
          formatSpread(spread(rates, alone, 'p50')),
          formatSpread(spread(rates, side, 'cpu of program')),
          formatSpread(spread(rates, side, 'cpu of postgres')),
          formatSpread(spread(rates, side, 'memory')),
          program === 'ours'
            ? ''
            : formatSpread(ratio(rates, ours, side, 'requestsPerSecond'), '×'),
          formatNumber(meanBytes(rates, workload, program)),
        ],
      ];
    });
    if (rows.length === 0) return [];
    const head = [
      'program',
      `requests/s, ${rates.connections} connections`,
      'p50, ms',
      'p99, ms',
      'p50 alone, ms',
      'CPU of the program, µs',
      'CPU of PostgreSQL, µs',
      'memory at most, MiB',
      'ours to it',
      'bytes a body',
    ];
    return [`### ${title}`, table(head, rows)];
  });
}

function meanBytes({ measurements }: Rates, workload: string, program: string): number {
  const found = measurements.find((one) => one.workload === workload && one.program === program);
  return found?.result.meanBodyBytes ?? Number.NaN;
}

export function describeHalfLoad(rates: Rates): string[] {
  const side = { workload: 'metrics', program: 'ours', load: 'half' } as const;
  const rate = rates.measurements.find(({ load }) => load === 'half')?.rate;
  if (rate === undefined || rate === null) return [];
  return [
    '### Latency of ours at half of its maximum',
    `REST latest metrics at ${formatNumber(rate)} requests a second, whatever the answers do; latency from the instant at which each request was due: ` +
      `p50 ${formatSpread(spread(rates, side, 'p50'), ' ms')}, p99 ${formatSpread(spread(rates, side, 'p99'), ' ms')}.`,
  ];
}

export function describePrograms(rates: Rates): string[] {
  const rows = rates.observed
    .filter(({ workload }) => workload === 'metrics' || workload === 'dashboard')
    .map(({ workload, program, observed: { records, counts, namesRequests } }) => {
      const { what }: Program = programs[program];
      const yes = (is: boolean) => (is ? 'yes' : 'no');
      return [program, workload, what, String(records), yes(counts), yes(namesRequests)];
    });
  return [
    '### What each program does',
    'Before anything was measured each program had to answer like the tables, and to refuse what must be refused. The last three columns were observed, not claimed: a program that does less work shows it here.',
    table(
      [
        'program',
        'what it is',
        'records committed a request',
        'counts in Redis',
        'names the request',
      ],
      rows,
    ),
  ];
}

export function describeGrowth({ stages, samples }: Growth): string[] {
  const rows = stages.flatMap(({ requests, points, costs }) =>
    costs.map(({ what, p50, p90, pages }) => [
      `${formatNumber(requests)} requests, ${formatNumber(points)} points`,
      what,
      formatNumber(p50),
      formatNumber(p90),
      formatNumber(pages),
    ]),
  );
  return [
    '## Growth',
    `The product's own statements through its own repositories, ${formatNumber(samples)} of each, for companies and keys all over the tables.`,
    table(['size', 'what', 'p50, µs', 'p90, µs', 'pages touched'], rows),
  ];
}

export function describeGenerator({ comparisons, stall }: Generator): string[] {
  return [
    '## Load generator',
    'A constant from bare node:http at 64 connections, asked by our generator and by others:',
    table(
      ['generator', 'requests/s', 'p50, ms', 'p99, ms'],
      comparisons.map(({ tool, requestsPerSecond, p50, p99 }) => [
        tool,
        formatNumber(requestsPerSecond),
        formatNumber(p50),
        formatNumber(p99),
      ]),
    ),
    `A server that stands still for ${formatNumber(stall.milliseconds)} ms in every 3 s, asked for ${stall.seconds} s: the open loop (${formatNumber(stall.rate)}/s) reports a p99 of ${formatNumber(stall.openLoopP99)} ms over ${formatNumber(stall.openLoopRequests)} requests, none left out; the closed loop, which stops asking, ${formatNumber(stall.closedLoopP99)} ms.`,
  ];
}

export function describeMachineOf(name: string, { machine, command }: Run): string {
  const settings = Object.entries(machine.postgresSettings).map(
    ([key, value]) => `${key} ${value}`,
  );
  const packages = Object.entries(machine.packages).map(([key, value]) => `${key} ${value}`);
  return [
    `- **${name}**: \`${command}\`, ${machine.at}, commit ${machine.commit}`,
    `  - ${machine.cpu}, ${machine.memoryGiB} GiB, Linux ${machine.kernel}; load before the run ${machine.loadBefore.toFixed(2)}`,
    `  - Node ${machine.node}, PostgreSQL ${machine.postgres} (${settings.join(', ')}), Redis ${machine.redis}, all on this machine`,
    ...(name === 'rates' || name === 'histories' ? [`  - ${packages.join(', ')}`] : []),
  ].join('\n');
}
