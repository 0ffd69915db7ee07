import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResults } from '../results.ts';
import { judge } from './bars.ts';
import { table } from './format.ts';
import {
  describeHalfLoad,
  describeMachine,
  describePrograms,
  describeWorkloads,
} from './sections.ts';

/** Writes the report from the results in a folder, and returns its path. Reads nothing else. */
export function writeReport(folder: string): string {
  const results = readResults(join(folder, 'results.json'));
  if (results === null) throw new Error(`there are no results in ${folder}`);
  const file = join(folder, 'results.md');
  const verdict = { true: 'yes', false: '**no**', null: 'not measured' } as const;
  const sections = [
    '# Results',
    'Made by `bench/report` from the results of one run; nothing here is written by hand. How each figure comes about stands in [README.md](README.md).',
    ...(results.isSmoke
      ? ['**A smoke run: too short and too small to say anything about speed.**']
      : []),
    '## Bars',
    'Ratios are those of the same round; the median over the rounds counts, the lowest and highest stand behind it. Beside another release: `bench/bars/compare.ts`, which has bars of its own.',
    table(
      ['bar', 'asked', 'measured', 'passed'],
      judge(results).map(({ what, asked, measured, passed }) => [
        ...[what, asked, measured],
        verdict[`${passed}`],
      ]),
    ),
    '## Rates',
    ...describeWorkloads(results),
    ...describeHalfLoad(results),
    ...describePrograms(results),
    '## Machine',
    describeMachine(results),
  ];
  writeFileSync(file, `${sections.join('\n\n')}\n`);
  return file;
}
