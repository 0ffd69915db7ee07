import type { Command } from 'commander';
import { type AccessRecord, maxAccessRecords } from '#core';
import { answering, listOf } from '../answer.ts';
import type { Host } from '../host.ts';
import { addCommand } from '../options.ts';
import { presentAccessRecord } from '../present.ts';
import { type Column, renderTable } from '../table.ts';
import { parseCount, parseInstant, parseMonth } from '../values.ts';

const columns: readonly Column<AccessRecord>[] = [
  ['WHEN', ({ occurredAt }) => occurredAt.toISOString()],
  ['KEY', ({ keyId }) => keyId],
  ['RESOURCE', ({ resource }) => resource],
  ['METRIC', ({ metricKey }) => metricKey],
  ['OUTCOME', ({ outcome }) => outcome],
  ['COUNT', ({ count }) => String(count)],
  ['GRANT', ({ grantId }) => grantId],
  ['PROTOCOL', ({ protocol }) => protocol],
  ['REQUEST ID', ({ requestId }) => requestId],
];

interface Options {
  company: string;
  key?: string;
  since?: Date;
  until?: Date;
  limit: number;
}

export function addAccessLogCommands(program: Command, host: Host): void {
  addCommand(program, {
    name: 'access-log',
    description: 'who read the data of a company or was refused, newest first',
    examples: [
      'portfolio-access access-log --company co_harbor --since 2026-11-01',
      'portfolio-access access-log --company co_harbor --key key_0198c5c1 --json',
    ],
  })
    .requiredOption('--company <id>', 'the company whose data it was about')
    .option('--key <id>', 'only by this key')
    .option('--since <instant>', 'only from this day or instant on', parseInstant)
    .option('--until <instant>', 'only up to this instant, or the start of this day', parseInstant)
    .option('--limit <count>', 'at most so many, the newest', parseCount, maxAccessRecords)
    .action(
      answering(
        host,
        async ({ operatorUseCases }, { company, key, since, until, limit }: Options) => {
          const { records, hasMore } = await operatorUseCases.listCompanyAccessRecords({
            companyId: company,
            keyId: key,
            since,
            until,
            limit,
          });
          return {
            json: listOf(records.map(presentAccessRecord), hasMore),
            text:
              renderTable(columns, records, 'Nobody has asked for the data of this company.') +
              (hasMore
                ? '\nThere are older ones: show them with --until, or more with --limit.'
                : ''),
          };
        },
      ),
    );

  addCommand(program, {
    name: 'drop-access-log',
    description: 'remove the records of whole months, of all companies, for good',
    examples: ['portfolio-access drop-access-log --before 2026-01'],
  })
    .requiredOption('--before <month>', 'all months before this one', parseMonth)
    .action(
      answering(host, async ({ operatorUseCases }, { before }: { before: Date }) => {
        const months = await operatorUseCases.dropAccessRecords(before);
        return {
          json: listOf(months),
          text: months.length === 0 ? 'No month is that old.' : `Removed ${months.join(', ')}.`,
        };
      }),
    );
}
