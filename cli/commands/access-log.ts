import type { Command } from 'commander';
import { type ArchivedDay, maxAccessRecords, type NamedRecord } from '#core';
import { exitCodes } from '../../gateway/describe-error.ts';
import type { CliContext } from '../context.ts';
import { accessRecordJson } from '../json.ts';
import { addCommand, parseCount, parseDay, parseInstant } from '../options.ts';
import { action, CommandError, toList, write } from '../output.ts';
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
  readonly company?: string;
  readonly key?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
}

interface DropOptions {
  readonly before: Date;
  readonly filesLost?: boolean;
}

const count = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`;

function describeDay({ day, records, bytes }: ArchivedDay): string {
  if (records === 0) return `${day}: no records`;
  return `${day}: ${count(records, 'record')}, ${Math.round(bytes / records)} bytes each`;
}

export function addAccessLogCommands(program: Command, context: CliContext): void {
  const group = addCommand(
    program,
    'access-log',
    'who read the data of a company or was refused, newest first',
    ['--company co_harbor --since 2026-11-01', '--company co_harbor --key key_0198c5c1 --json'],
  )
    // Only of the list itself: the commands below it take no company.
    .option('--company <id>', 'the company whose data it was about')
    .option('--key <id>', 'only by this key')
    .option('--since <instant>', 'only from this day or instant on', parseInstant)
    .option('--until <instant>', 'only up to this instant, or the start of this day', parseInstant)
    .option('--limit <count>', 'at most so many, the newest', parseCount, maxAccessRecords)
    .hook('preAction', (command, called) => {
      if (command !== called || command.opts<Options>().company !== undefined) return;
      throw new CommandError("required option '--company <id>' not specified", exitCodes.usage);
    })
    .action(
      action(context, async ({ operatorUseCases }, { company, key, ...rest }: Options) => {
        const { records, hasMore, unread } = await operatorUseCases.listCompanyAccessRecords({
          companyId: company ?? '',
          keyId: key,
          ...rest,
        });
        const table = renderTable(
          columns,
          records,
          'Nobody has asked for the data of this company.',
        );
        const more = 'There are older ones: show them with --until, or more with --limit.';
        const list = toList(records.map(accessRecordJson), hasMore);
        if (unread !== null) {
          const day = unread.before.toISOString().slice(0, 10);
          const { message } = unread.reason;
          return {
            json: { ...list, archive: { unread_before: day, problem: message } },
            text: followedBy(
              table,
              `Records from before ${day} are in the archive, which cannot be read: ${message}`,
            ),
          };
        }
        return { json: list, text: hasMore ? followedBy(table, more) : table };
      }),
    );

  addCommand(
    group,
    'archive',
    'move the records of whole days, of all companies, into files in ARCHIVE_DIR',
    ['--before 2026-01-31', '--before 2026-01-31 --json'],
  )
    .requiredOption('--before <day>', 'all days before this one, in UTC', parseDay)
    .action(
      action(context, async ({ operatorUseCases }, { before }: { before: Date }) => {
        const archived: ArchivedDay[] = [];
        const onArchived = (day: ArchivedDay) => {
          archived.push(day);
          void write(context.stderr, `${describeDay(day)}\n`);
        };
        const { signal } = context;
        try {
          await operatorUseCases.archiveAccessRecords({ before, signal, onArchived });
        } catch (error) {
          if (!signal.aborted) throw error;
          const message = `interrupted; ${count(archived.length, 'day')} archived, the others as they were`;
          throw new CommandError(message, exitCodes.interrupted);
        }
        const sum = archived.reduce((records, day) => records + day.records, 0);
        return {
          json: toList(archived),
          text:
            archived.length === 0
              ? 'No day that old is in the database.'
              : `Archived ${count(archived.length, 'day')} with ${count(sum, 'record')}.`,
        };
      }),
    );

  addCommand(
    program,
    'drop-access-log',
    'remove the records of whole days, of all companies, for good, from the archive too',
    ['--before 2026-01-31'],
  )
    .requiredOption('--before <day>', 'all days before this one, in UTC', parseDay)
    .option('--files-lost', 'also days whose files are not in ARCHIVE_DIR any more')
    .action(
      action(context, async ({ operatorUseCases }, { before, filesLost }: DropOptions) => {
        const days = await operatorUseCases.dropAccessRecords(before, {
          areFilesLost: filesLost === true,
        });
        return {
          json: toList(days),
          text: days.length === 0 ? 'No day is that old.' : `Removed ${days.join(', ')}.`,
        };
      }),
    );
}
