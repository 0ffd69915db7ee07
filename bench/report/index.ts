import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { resultsFolder } from '../options.ts';
import { type Rates, type Results, readResults } from '../results.ts';
import { workloads } from '../workloads.ts';
import { judge } from './bars.ts';
import { table } from './format.ts';
import { describeNeighbours, judgeNeighbours } from './neighbours.ts';
import { type PlotGroup, plotRates } from './plot.ts';
import { spread } from './ratios.ts';
import {
  describeGenerator,
  describeGrowth,
  describeHalfLoad,
  describeMachineOf,
  describePrograms,
  describeWorkloads,
} from './sections.ts';

/** Makes the report from the raw results in a folder, and nothing else. Answers where it is. */
export function writeReport(folder: string): string {
  const results = readResults(folder);
  const file = folder === resultsFolder ? `${resultsFolder}.md` : join(folder, 'results.md');
  mkdirSync(folder, { recursive: true });
  if (results.rates) writeFileSync(join(folder, 'rates.svg'), plotRates(groupsOf(results.rates)));
  const plot = relative(dirname(file), join(folder, 'rates.svg'));
  writeFileSync(file, `${sections(results, plot).join('\n\n')}\n`);
  return file;
}

function groupsOf(rates: Rates): PlotGroup[] {
  return Object.entries(workloads).flatMap(([name, { title, programs }]) => {
    const bars = programs.flatMap((program) => {
      const workload = name as keyof typeof workloads;
      const found = spread(rates, { workload, program, load: 'many' }, 'requestsPerSecond');
      return found === null
        ? []
        : [{ label: program, spread: found, isOurs: program.startsWith('ours') }];
    });
    return bars.length === 0 ? [] : [{ title: `${title}, ${rates.connections} connections`, bars }];
  });
}

function sections(results: Partial<Results>, plot: string): string[] {
  const runs = Object.values(results);
  const verdict = { true: 'yes', false: '**no**', null: 'not measured' } as const;
  return [
    '# Results',
    'Made by `bench/report` from the raw results beside it; nothing here is written by hand. How each figure comes about stands in [README.md](README.md).',
    ...(runs.some(({ isSmoke }) => isSmoke)
      ? ['**A smoke run: too short and too small to say anything about speed.**']
      : []),
    '## Bars',
    'Ratios are those of the same round; the median over the rounds counts, the lowest and highest stand behind it.',
    table(
      ['bar', 'asked', 'measured', 'passed'],
      [...judge(results), ...judgeNeighbours(results.neighbours)].map(
        ({ what, asked, measured, passed }) => [what, asked, measured, verdict[`${passed}`]],
      ),
    ),
    ...(results.rates
      ? [
          '## Rates',
          `![Requests a second of each program](${plot})`,
          ...describeWorkloads(results.rates),
          ...describeHalfLoad(results.rates),
          ...describePrograms(results.rates),
        ]
      : []),
    ...(results.histories
      ? ['## Histories in a run of their own', ...describeWorkloads(results.histories)]
      : []),
    ...(results.growth ? describeGrowth(results.growth) : []),
    ...(results.neighbours ? describeNeighbours(results.neighbours) : []),
    ...(results.generator ? describeGenerator(results.generator) : []),
    '## Machine and commands',
    ...Object.entries(results).map(([name, run]) => describeMachineOf(name, run)),
  ];
}
