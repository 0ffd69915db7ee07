import type { Command } from 'commander';
import { maxAccessRecords, type NamedRecord } from '#core';
import type { CliContext } from '../context.ts';
import { accessRecordJson } from '../json.ts';
import { addCommand, parseCount, parseInstant, parseMonth } from '../options.ts';
import { action, toList } from '../output.ts';
import { type Column, followedBy, renderTable, shorten } from '../table.ts';

const columns: readonly Column<NamedRecord>[] = [
  ['WHEN', ({ occurredAt }) => occurredAt.toISOString()],
  ['INVESTOR', ({ investorName }) => investorName && shorten(investorName, 30)],
  ['RESOURCE', ({ resource }) => resource],
  ['OUTCOME', ({ outcome }) => outcome],
  ['METRIC', ({ metricKey }) => metricKey],
  ['KEY', ({ keyId }) => keyId],
  ['COUNT', ({ count }) => String(count)],
  ['GRANT', ({ grantId }) => grantId],
  ['PROTOCOL', ({ protocol }) => protocol],
  ['REQUEST ID', ({ requestId }) => requestId],
];

interface Options {
  readonly company: string;
  readonly key?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
}

export function addAccessLogCommands(program: Command, context: CliContext): void {
  addCommand(program, 'access-log', 'who read the data of a company or was refused, newest first', [
    '--company co_harbor --since 2026-11-01',
    '--company co_harbor --key key_0198c5c1 --json',
  ])
    .requiredOption('--company <id>', 'the company whose data it was about')
    .option('--key <id>', 'only by this key')
    .option('--since <instant>', 'only from this day or instant on', parseInstant)
    .option('--until <instant>', 'only up to this instant, or the start of this day', parseInstant)
    .option('--limit <count>', 'at most so many, the newest', parseCount, maxAccessRecords)
    .action(
      action(context, async ({ operatorUseCases }, { company, key, ...rest }: Options) => {
        const { records, hasMore } = await operatorUseCases.listCompanyAccessRecords({
          companyId: company,
          keyId: key,
          ...rest,
        });
        const table = renderTable(
          columns,
          records,
          'Nobody has asked for the data of this company.',
        );
        const more = 'There are older ones: show them with --until, or more with --limit.';
        return {
          json: toList(records.map(accessRecordJson), hasMore),
          text: hasMore ? followedBy(table, more) : table,
        };
      }),
    );

  addCommand(
    program,
    'drop-access-log',
    'remove the records of whole months, of all companies, for good',
    ['--before 2026-01'],
  )
    .requiredOption('--before <month>', 'all months before this one', parseMonth)
    .action(
      action(context, async ({ operatorUseCases }, { before }: { before: Date }) => {
        const months = await operatorUseCases.dropAccessRecords(before);
        return {
          json: toList(months),
          text: months.length === 0 ? 'No month is that old.' : `Removed ${months.join(', ')}.`,
        };
      }),
    );
}
