import type { Command } from 'commander';
import type { AccessEvent, OperatorUseCases } from '#core';
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
  ['BY', ({ actor }) => actor.id ?? actor.type],
];

export function addEventCommands(program: Command, context: CliContext): void {
  const group = program.command('event').description('what happened to access requests');
  addCommand(group, 'list', 'list all events, oldest first', ['', '--json']).action(
    action(context, async ({ operatorUseCases }) => {
      const events = await listAll(operatorUseCases, {});
      return {
        json: toList(events.map(eventJson)),
        text: renderTable(columns, events, 'Nothing has happened yet.'),
      };
    }),
  );
}

type Filter = NonNullable<Parameters<OperatorUseCases['listAccessEvents']>[0]>;

/** All pages of the feed. */
async function listAll(
  { listAccessEvents }: Pick<OperatorUseCases, 'listAccessEvents'>,
  filter: Filter,
): Promise<AccessEvent[]> {
  const all: AccessEvent[] = [];
  for (;;) {
    const after = all.at(-1)?.id ?? filter.after;
    const { events, hasMore } = await listAccessEvents({ ...filter, after, limit: 1000 });
    all.push(...events);
    if (!hasMore) return all;
  }
}
