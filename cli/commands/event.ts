import type { Command } from 'commander';
import type { AccessEvent } from '#core';
import type { CliContext } from '../context.ts';
import { eventJson } from '../json.ts';
import { addCommand } from '../options.ts';
import { action, toList } from '../output.ts';
import { type Column, renderTable } from '../table.ts';

const columns: readonly Column<AccessEvent>[] = [
  ['ID', ({ id }) => id],
  ['TYPE', ({ type }) => type],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['REQUEST', ({ accessRequest }) => accessRequest.id],
  ['COMPANY', ({ accessRequest }) => accessRequest.companyId],
];

export function addEventCommands(program: Command, context: CliContext): void {
  const group = program
    .command('event')
    .description('what happened to access requests; nobody is notified of it');
  addCommand(group, 'list', 'list all events, oldest first', ['', '--json']).action(
    action(context, async ({ operatorUseCases }) => {
      const events = await operatorUseCases.listAccessEvents();
      return {
        json: toList(events.map(eventJson)),
        text: renderTable(columns, events, 'Nothing has happened yet.'),
      };
    }),
  );
}
