import { type FeedEvent, isRequestEvent, maxEvents, type OperatorUseCases } from '#core';
import { presentActor, presentDataEvent, presentVersionedRequest } from '#rest-adapter';
import { command, group } from '../command.ts';
import { optional, ownerOptionsOf } from '../options.ts';
import { showAll, view } from '../view.ts';

const events = view({
  /** Uses REST's format. For an access request, adds the investor, the actor and the reason. */
  json(event: FeedEvent) {
    const { id, type, createdAt } = event;
    const common = { id, object: 'event', type, created_at: createdAt.toISOString() };
    if (!isRequestEvent(event)) return { ...common, data: presentDataEvent(event) };
    const { accessRequest, actor, reason } = event;
    return {
      ...common,
      investor_id: accessRequest.investorId,
      actor: presentActor(actor),
      reason,
      access_request: presentVersionedRequest(accessRequest),
    };
  },
  columns: {
    ID: 'id',
    TYPE: 'type',
    CREATED: 'created_at',
    REQUEST: (event) => ('data' in event ? '-' : event.access_request.id),
    COMPANY: (event) => ('data' in event ? event.data.company_id : event.access_request.company_id),
    BY: (event) => ('data' in event ? '-' : (event.actor.id ?? event.actor.type)),
  },
  none: 'No events.',
});

export const commands = group(
  'event',
  'changes of access requests and of companies’ data',
  command('list', 'list the events of the last 90 days, oldest first', {
    examples: ['--company co_harbor', '--after evt_0198c5c1 --json'],
    parameters: {
      ...ownerOptionsOf('only events of'),
      after: optional('--after <id>', 'only events after this one'),
    },
    run: async ({ operatorUseCases }, filter) =>
      showAll(events, await listAll(operatorUseCases, filter)),
  }),
);

type Filter = NonNullable<Parameters<OperatorUseCases['listAccessEvents']>[0]>;

async function listAll(
  { listAccessEvents }: Pick<OperatorUseCases, 'listAccessEvents'>,
  filter: Filter,
): Promise<FeedEvent[]> {
  const all: FeedEvent[] = [];
  for (;;) {
    const after = all.at(-1)?.id ?? filter.after;
    const page = await listAccessEvents({ ...filter, after, limit: maxEvents });
    all.push(...page.events);
    if (!page.hasMore) return all;
  }
}
