import { type Command, Option } from 'commander';
import { type AccessEvent, maxEvents, type OperatorUseCases } from '#core';
import { presentVersionedRequest } from '#rest-adapter';
import type { CliContext } from '../context.ts';
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

interface ListOptions {
  readonly company?: string;
  readonly investor?: string;
  readonly after?: string;
}

export function addEventCommands(program: Command, context: CliContext): void {
  const group = program.command('event').description('what happened to access requests');
  addCommand(group, 'list', 'list the events of the last 90 days, oldest first', [
    '--company co_harbor',
    '--after evt_0198c5c1 --json',
  ])
    .addOption(new Option('--company <id>', 'only events of this company').conflicts('investor'))
    .option('--investor <id>', 'only events of this investor')
    .option('--after <id>', 'only events that came after this one')
    .action(
      action(context, async ({ operatorUseCases }, { company, investor, after }: ListOptions) => {
        const filter = { companyId: company, investorId: investor, after };
        const events = await listAll(operatorUseCases, filter);
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
    const { events, hasMore } = await listAccessEvents({ ...filter, after, limit: maxEvents });
    all.push(...events);
    if (!hasMore) return all;
  }
}

/** The request as REST shows it, and beside it who asks, who has changed it, and why. */
function eventJson({ id, type, createdAt, actor, reason, accessRequest }: AccessEvent) {
  return {
    id,
    object: 'event',
    type,
    created_at: createdAt.toISOString(),
    investor_id: accessRequest.investorId,
    actor: { type: actor.type, id: actor.id },
    reason,
    access_request: presentVersionedRequest(accessRequest),
  };
}
