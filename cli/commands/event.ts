import type { Command } from 'commander';
import type { AccessEvent } from '#core';
import { answering, listOf } from '../answer.ts';
import type { Host } from '../host.ts';
import { addCommand } from '../options.ts';
import { presentEvent } from '../present.ts';
import { type Column, renderTable } from '../table.ts';

const columns: readonly Column<AccessEvent>[] = [
  ['ID', ({ id }) => id],
  ['TYPE', ({ type }) => type],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['REQUEST', ({ accessRequest }) => accessRequest.id],
  ['COMPANY', ({ accessRequest }) => accessRequest.companyId],
];

export function addEventCommands(program: Command, host: Host): void {
  const group = program
    .command('event')
    .description('what happened to access requests; nobody is told of it but by this list');

  addCommand(group, {
    name: 'list',
    description: 'list all events, oldest first',
    examples: ['portfolio-access event list', 'portfolio-access event list --json'],
  }).action(
    answering(host, async ({ operatorUseCases }) => {
      const events = await operatorUseCases.listAccessEvents();
      return {
        json: listOf(events.map(presentEvent)),
        text: renderTable(columns, events, 'Nothing has happened yet.'),
      };
    }),
  );
}
