import { type ArchivedDay, maxAccessRecords, type NamedRecord } from '#core';
import { exitCodes } from '../../gateway/describe-error.ts';
import { type AddCommand, command } from '../command.ts';
import {
  flag,
  optional,
  parseCount,
  parseDay,
  parseInstant,
  required,
  withDefault,
} from '../options.ts';
import { CommandError, write } from '../output.ts';
import { followedBy, shorten } from '../table.ts';
import { showAll, toList, view } from '../view.ts';

const accessRecords = view({
  json: (record: NamedRecord) => ({
    id: record.id,
    occurred_at: record.occurredAt.toISOString(),
    request_id: record.requestId,
    protocol: record.protocol,
    key_id: record.keyId,
    contact_id: record.contactId,
    investor_id: record.investorId,
    investor_name: record.investorName,
    company_id: record.companyId,
    scope: record.scope,
    resource: record.resource,
    metric_key: record.metricKey,
    grant_id: record.grantId,
    outcome: record.outcome,
    count: record.count,
  }),
  columns: {
    WHEN: 'occurred_at',
    INVESTOR: ({ investor_name }) => investor_name && shorten(investor_name, 30),
    RESOURCE: 'resource',
    OUTCOME: 'outcome',
    METRIC: 'metric_key',
    BY: ({ key_id, contact_id }) => key_id ?? contact_id,
    COUNT: 'count',
    GRANT: 'grant_id',
    PROTOCOL: 'protocol',
    'REQUEST ID': 'request_id',
  },
  none: 'Nobody has asked for the data of this company.',
});

const count = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`;

function describeDay({ day, records, bytes }: ArchivedDay): string {
  if (records === 0) return `${day}: no records`;
  return `${day}: ${count(records, 'record')}, ${Math.round(bytes / records)} bytes each`;
}

const before = required('--before <day>', 'all days before this one, in UTC', parseDay);

const list = command('access-log', 'who read the data of a company or was refused, newest first', {
  examples: [
    '--company co_harbor --since 2026-11-01',
    '--company co_harbor --key key_0198c5c1 --json',
  ],
  takes: {
    companyId: optional('--company <id>', 'the company whose data it was about'),
    keyId: optional('--key <id>', 'only by this key'),
    since: optional('--since <instant>', 'only from this day or instant on', parseInstant),
    until: optional(
      '--until <instant>',
      'only up to this instant, or the start of this day',
      parseInstant,
    ),
    limit: withDefault(
      '--limit <count>',
      'at most so many, the newest',
      parseCount,
      maxAccessRecords,
    ),
  },
  async run({ operatorUseCases }, { companyId = '', ...filter }) {
    const { records, hasMore, unread } = await operatorUseCases.listCompanyAccessRecords({
      companyId,
      ...filter,
    });
    if (unread === null) {
      const more = 'There are older ones: show them with --until, or more with --limit.';
      return showAll(accessRecords, records, { hasMore, more });
    }
    const day = unread.before.toISOString().slice(0, 10);
    const { message } = unread.reason;
    const { json, text } = showAll(accessRecords, records, { hasMore });
    return {
      json: { ...json, archive: { unread_before: day, problem: message } },
      text: followedBy(
        text,
        `Records from before ${day} are in the archive, which cannot be read: ${message}`,
      ),
    };
  },
});

const archive = command(
  'archive',
  'move the records of whole days, of all companies, into files in ARCHIVE_DIR',
  {
    examples: ['--before 2026-01-31', '--before 2026-01-31 --json'],
    takes: { before },
    async run({ operatorUseCases }, given, { signal, stderr }) {
      const archived: ArchivedDay[] = [];
      const onArchived = (day: ArchivedDay) => {
        archived.push(day);
        void write(stderr, `${describeDay(day)}\n`);
      };
      const days = () => count(archived.length, 'day');
      try {
        await operatorUseCases.archiveAccessRecords({ ...given, signal, onArchived });
      } catch (error) {
        if (!signal.aborted) throw error;
        const message = `interrupted; ${days()} archived, the others as they were`;
        throw new CommandError(message, exitCodes.interrupted);
      }
      const sum = archived.reduce((records, day) => records + day.records, 0);
      return {
        json: toList(archived),
        text:
          archived.length === 0
            ? 'No day that old is in the database.'
            : `Archived ${days()} with ${count(sum, 'record')}.`,
      };
    },
  },
);

const drop = command(
  'drop-access-log',
  'remove the records of whole days, of all companies, for good, from the archive too',
  {
    examples: ['--before 2026-01-31'],
    takes: {
      before,
      areFilesLost: flag('--files-lost', 'also days whose files are not in ARCHIVE_DIR any more'),
    },
    async run({ operatorUseCases }, { before, areFilesLost }) {
      const days = await operatorUseCases.dropAccessRecords(before, { areFilesLost });
      return {
        json: toList(days),
        text: days.length === 0 ? 'No day is that old.' : `Removed ${days.join(', ')}.`,
      };
    },
  },
);

export const commands: AddCommand = (program, context) => {
  // Only of the list itself: the command below it takes no company.
  const group = list(program, context).hook('preAction', (command, called) => {
    if (command !== called || command.opts<{ company?: string }>().company !== undefined) return;
    throw new CommandError("required option '--company <id>' not specified", exitCodes.usage);
  });
  archive(group, context);
  return drop(program, context);
};
