import { companyOf, type FeedEvent, isRequestEvent } from '#core';
import { sendEventStream } from '#http';
import { isOfCompany, type OwnerContext, type PolledData } from '../context.ts';
import { LiveChanges } from '../live-changes.ts';
import { forOwners } from '../route.ts';

/** An ID starts with a prefix and its creation time, so the item's ID can be compared with the page's request ID. */
function isLater(id: string | null, page: string | undefined): boolean {
  return id !== null && page !== undefined && timeOf(id) > timeOf(page);
}

const timeOf = (id: string): string => id.slice(id.indexOf('_') + 1);

/** The format of an ID, so that a time can be compared with IDs. */
const idAt = (instant: Date): string => `at_${instant.getTime().toString(16).padStart(12, '0')}`;

/** The stream looks only for records younger than this. They aren't archived yet, so the database has all of them. */
const newMilliseconds = 12 * 3_600_000;

type ReadNewest = (context: OwnerContext) => Promise<string | null>;

const readersOfNewest: Readonly<Record<PolledData, ReadNewest>> = {
  async reads(context) {
    const since = new Date(context.currentTime().getTime() - newMilliseconds);
    const { company, investor } = context.useCases;
    if (isOfCompany(context)) {
      const { items } = await company.listReceivedRecords(context.caller, { since, limit: 1 });
      return items[0]?.id ?? null;
    }
    const input = { since: since.toISOString(), limit: 1 };
    const { items } = await investor.listOwnRecords(context.caller, input);
    return items[0]?.record.id ?? null;
  },
  async settings(context) {
    const { items } = await context.own.listSettingsChanges({ limit: 1 });
    return items[0]?.id ?? null;
  },
  async deliveries(context) {
    const id = context.query.endpoint ?? '';
    const { items } = await context.own.listWebhookDeliveries({ id });
    const times = items.flatMap(({ createdAt, lastAttemptAt }) => [createdAt, lastAttemptAt]);
    return times.reduce<string | null>((newest, instant) => {
      const at = instant === null ? null : idAt(instant);
      return at !== null && (newest === null || at > newest) ? at : newest;
    }, null);
  },
};

const isPolledData = (name: string | undefined): name is PolledData =>
  name !== undefined && Object.hasOwn(readersOfNewest, name);

/** Without a company, yields the events of all access requests and grants. */
async function* eventsFor(
  companyId: string | undefined,
  events: AsyncIterable<FeedEvent>,
): AsyncGenerator<FeedEvent, undefined> {
  for await (const event of events) {
    if (companyId === undefined ? isRequestEvent(event) : companyOf(event) === companyId) {
      yield event;
    }
  }
}

async function watch(context: OwnerContext, signal: AbortSignal) {
  const { useCases, query } = context;
  if (isOfCompany(context)) return useCases.company.watchCompanyEvents(context.caller, {}, signal);
  const { investor } = useCases;
  const { company: companyId } = query;
  if (companyId !== undefined) await investor.readPortfolioCompany(context.caller, { companyId });
  const { after, events } = await investor.watchInvestorEvents(context.caller, {}, signal);
  return { after, events: eventsFor(companyId, events) };
}

/** The page loads its content again after each notice. */
async function sendChanges(context: OwnerContext) {
  const { request, reply, query } = context;
  const readNewest = isPolledData(query.look) ? readersOfNewest[query.look] : null;
  const leaving = new AbortController();
  const [{ after, events }, newest] = await Promise.all([
    watch(context, leaving.signal),
    readNewest?.(context) ?? null,
  ]).catch((error: unknown) => {
    // Closes the stream, because an open stream counts towards the limit of streams.
    leaving.abort();
    throw error;
  });
  const changes = new LiveChanges({
    events,
    newest,
    isBehind: [after, newest].some((id) => isLater(id, query.page)),
    readNewest: readNewest && (() => readNewest(context)),
    pollMilliseconds: 3_000,
    end: () => leaving.abort(),
  });
  return sendEventStream(request, reply, changes, { heartbeat: ': alive\n\n' });
}

export const liveRoutes = forOwners.get('/events', sendChanges);
