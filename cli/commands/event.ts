import { type AccessEvent, maxEvents, type OperatorUseCases } from '#core';
import { presentVersionedRequest } from '#rest-adapter';
import { command, group } from '../command.ts';
import { ofCompanyOrInvestor, optional } from '../options.ts';
import { showAll, view } from '../view.ts';

const events = view({
  /** The request as REST shows it, and beside it who asks, who has changed it, and why. */
  json: ({ id, type, createdAt, actor, reason, accessRequest }: AccessEvent) => ({
    id,
    object: 'event',
    type,
    created_at: createdAt.toISOString(),
    investor_id: accessRequest.investorId,
    actor: { type: actor.type, id: actor.id },
    reason,
    access_request: presentVersionedRequest(accessRequest),
  }),
  columns: {
    ID: 'id',
    TYPE: 'type',
    CREATED: 'created_at',
    REQUEST: (event) => event.access_request.id,
    COMPANY: (event) => event.access_request.company_id,
    BY: ({ actor }) => actor.id ?? actor.type,
  },
  none: 'Nothing has happened yet.',
});

export const commands = group(
  'event',
  'what happened to access requests',
  command('list', 'list the events of the last 90 days, oldest first', {
    examples: ['--company co_harbor', '--after evt_0198c5c1 --json'],
    takes: {
      ...ofCompanyOrInvestor('only events of'),
      after: optional('--after <id>', 'only events that came after this one'),
    },
    run: async ({ operatorUseCases }, filter) =>
      showAll(events, await listAll(operatorUseCases, filter)),
  }),
);

type Filter = NonNullable<Parameters<OperatorUseCases['listAccessEvents']>[0]>;

/** All pages of the feed. */
async function listAll(
  { listAccessEvents }: Pick<OperatorUseCases, 'listAccessEvents'>,
  filter: Filter,
): Promise<AccessEvent[]> {
  const all: AccessEvent[] = [];
  for (;;) {
    const after = all.at(-1)?.id ?? filter.after;
    const page = await listAccessEvents({ ...filter, after, limit: maxEvents });
    all.push(...page.events);
    if (!page.hasMore) return all;
  }
}
