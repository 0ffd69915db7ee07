import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { maxAccessRecords, type NamedRecord } from '#core';
import { exitCodes } from '../../gateway/describe-error.ts';
import {
  type ExportedDay,
  hasFile,
  manifestIn,
  readManifest,
  writeDay,
  writeManifest,
} from '../access-log/files.ts';
import { type AddCommand, command, freeCommand } from '../command.ts';
import { optional, parseCount, parseDay, parseInstant, required, withDefault } from '../options.ts';
import { CommandError, write } from '../output.ts';
import { shorten } from '../table.ts';
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
  none: 'This company has no access records.',
});

const count = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`;

const before = required('--before <day>', 'all days before this date, in UTC', parseDay);

const list = command(
  'access-log',
  'list the reads and refusals of a company’s data, newest first',
  {
    examples: [
      '--company co_harbor --since 2026-11-01',
      '--company co_harbor --key key_0198c5c1 --json',
    ],
    parameters: {
      companyId: optional('--company <id>', 'the company'),
      keyId: optional('--key <id>', 'only reads by this key'),
      since: optional('--since <instant>', 'only from this date or time on', parseInstant),
      until: optional(
        '--until <instant>',
        'only up to this time, or the start of this date',
        parseInstant,
      ),
      limit: withDefault(
        '--limit <count>',
        'the maximum number of records',
        parseCount,
        maxAccessRecords,
      ),
    },
    async run({ operatorUseCases }, { companyId = '', ...filter }) {
      const { records, hasMore } = await operatorUseCases.listCompanyAccessRecords({
        companyId,
        ...filter,
      });
      const more = 'There are older records: show them with --until, or more with --limit.';
      return showAll(accessRecords, records, { hasMore, more });
    },
  },
);

async function* presented(pages: AsyncIterable<readonly NamedRecord[]>) {
  for await (const page of pages) yield page.map(accessRecords.json);
}

const exporting = command(
  'export',
  'write the records of whole days into compressed files and a manifest',
  {
    examples: ['--before 2026-01-31 --out /mnt/access-log'],
    explanation: `
Each day has a file of newline-delimited JSON with the fields of --json. manifest.json has the number of records and the
SHA-256 of each file. Days in the folder are skipped, so the command can run again after an interruption.`,
    parameters: { before, folder: required('--out <folder>', 'the folder to write the files to') },
    async run({ operatorUseCases }, { before, folder }, { signal, stderr }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = manifestIn(folder);
      const exportedDays = existsSync(path)
        ? await readManifest(path)
        : new Map<string, ExportedDay>();
      const written: ExportedDay[] = [];
      try {
        for (const { day, read } of await operatorUseCases.exportAccessLog(before)) {
          signal.throwIfAborted();
          const earlier = exportedDays.get(day);
          if (earlier !== undefined && (await hasFile(folder, earlier))) continue;
          const one = await writeDay(folder, day, presented(read()), signal);
          exportedDays.set(day, one);
          await writeManifest(path, exportedDays.values());
          written.push(one);
          await write(stderr, `${day}: ${count(one.records, 'record')}\n`);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
        const message = `interrupted; ${count(written.length, 'day')} exported; run the command again for the other days`;
        throw new CommandError(message, exitCodes.interrupted);
      }
      const sum = written.reduce((records, day) => records + day.records, 0);
      return {
        json: toList(written),
        text:
          written.length === 0
            ? 'There is nothing new to export.'
            : `Exported ${count(written.length, 'day')} with ${count(sum, 'record')}. The manifest is ${path}.`,
      };
    },
  },
);

const drop = freeCommand('drop', 'delete the records of exported days', {
  examples: ['--before 2026-01-31 --manifest /mnt/access-log/manifest.json'],
  explanation: `
A day is kept if it isn't in the manifest, if its file is missing or damaged, or if its number of records differs. The exit
code is then 1. Each dropped day has an entry in the settings log. The statistics stay. Run the command as the owner of
the tables.`,
  parameters: { before, manifest: required('--manifest <file>', 'the manifest of the export') },
  async act({ before, manifest }, context, show) {
    const exported = await readManifest(manifest);
    // Users may have moved the files of earlier dates. If a file is missing, only the records of its own date are kept.
    const damaged = new Map<string, string>();
    for (const [day, each] of exported) {
      if (!(await hasFile(dirname(manifest), each))) damaged.set(day, each.file);
    }
    for (const day of damaged.keys()) exported.delete(day);
    const { days, left } = await context.withComposition(async ({ operatorUseCases }) => {
      const outcomes = await Array.fromAsync(operatorUseCases.dropAccessLog({ before, exported }));
      const days = outcomes.map(({ day, problem }) => {
        const file = damaged.get(day);
        return {
          day,
          problem: file ? `${file} is missing or damaged, so export it again` : problem,
        };
      });
      return { days, left: days.filter(({ problem }) => problem !== null) };
    });
    const lines = days.map(({ day, problem }) => `${day}: ${problem ?? 'dropped'}`);
    await show({
      json: toList(days.map((each) => ({ ...each, dropped: each.problem === null }))),
      text: lines.length === 0 ? 'There are no records before this date.' : lines.join('\n'),
    });
    if (left.length > 0) throw new CommandError(`${count(left.length, 'day')} not dropped`);
  },
});

export const commands: AddCommand = (program, context) => {
  // The list of records needs --company, but the subcommands don't.
  const group = list(program, context).hook('preAction', (command, called) => {
    if (command !== called || command.opts<{ company?: string }>().company !== undefined) return;
    throw new CommandError("required option '--company <id>' not specified", exitCodes.usage);
  });
  exporting(group, context);
  drop(group, context);
  return group;
};
