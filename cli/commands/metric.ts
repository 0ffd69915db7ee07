import type { Command } from 'commander';
import type { Metric } from '#core';
import { presentMetric } from '#rest-adapter';
import type { CliContext } from '../context.ts';
import { addCommand } from '../options.ts';
import { action, toList } from '../output.ts';
import { type Column, renderTable } from '../table.ts';

const columns: readonly Column<Metric>[] = [
  ['PERIOD', ({ period }) => period],
  ['REVISION', ({ revision }) => String(revision)],
  ['VALUE', ({ value }) => value],
  ['RAW VALUE', ({ rawValue }) => rawValue],
  ['CURRENCY', ({ currency }) => currency],
  ['SOURCE', ({ source }) => source.system],
  ['LAST SYNCED', ({ source }) => source.lastSynced.toISOString()],
  [
    'SIGNED',
    ({ verification }) => (verification.signed ? verification.signedAt.toISOString() : null),
  ],
];

interface Options {
  readonly company: string;
  readonly key: string;
  readonly revisions?: boolean;
}

export function addMetricCommands(program: Command, context: CliContext): void {
  const group = program.command('metric').description('the values of metrics');
  addCommand(
    group,
    'history',
    'list the values of a metric, oldest first; --json shows their signatures too',
    ['--company co_harbor --key mrr', '--company co_harbor --key mrr --revisions --json'],
  )
    .requiredOption('--company <id>', 'the company that the metric is of')
    .requiredOption('--key <key>', 'the key of the metric')
    .option('--revisions', 'also the values that were replaced since')
    .action(
      action(context, async ({ operatorUseCases }, { company, key, revisions }: Options) => {
        const metrics = await operatorUseCases.showMetricHistory({
          companyId: company,
          key,
          withRevisions: revisions ?? false,
        });
        return {
          json: toList(metrics.map(metricJson)),
          text: renderTable(columns, metrics, 'No values.'),
        };
      }),
    );
}

/** The metric as REST shows it, and which revision it is. */
function metricJson(metric: Metric) {
  const { revision, verification } = metric;
  const signedAt = verification.signed ? verification.signedAt.toISOString() : null;
  return { ...presentMetric(metric), revision, signed_at: signedAt };
}
