import { companyOf, type FeedEvent, isRequestEvent } from '#core';
import { sendEventStream } from '#http';
import { isOfCompany, type Looked, type OwnerContext } from '../context.ts';
import { LiveChanges } from '../live-changes.ts';
import { ownActs } from '../own-acts.ts';
import { forOwners } from '../route.ts';

/** Ids are ordered by time behind their prefix, so the id of the request of a page tells what came after it. */
function isLater(id: string | null, page: string | undefined): boolean {
  return id !== null && page !== undefined && timeOf(id) > timeOf(page);
}

const timeOf = (id: string): string => id.slice(id.indexOf('_') + 1);

/** An instant in the form of an id. */
const idAt = (instant: Date): string => `at_${instant.getTime().toString(16).padStart(12, '0')}`;

/** A new record is younger than this, and never archived. */
const newMilliseconds = 12 * 3_600_000;

/** The id of the newest of it; null: there is none. */
type Look = (context: OwnerContext) => Promise<string | null>;

const looks: Readonly<Record<Looked, Look>> = {
  async reads(context) {
    const since = new Date(context.currentTime().getTime() - newMilliseconds);
    const { company, investor } = context.useCases;
    if (isOfCompany(context)) {
      const { items } = await company.listReceivedRecords(context.caller, { since, limit: 1 });
      return items[0]?.id ?? null;
    }
    const asked = { since: since.toISOString(), limit: 1 };
    const { items } = await investor.listOwnRecords(context.caller, asked);
    return items[0]?.record.id ?? null;
  },
  async settings(context) {
    const { items } = await ownActs(context).listOwnSettingsChanges({ limit: 1 });
    return items[0]?.id ?? null;
  },
  async deliveries(context) {
    const id = context.query.endpoint ?? '';
    const { items } = await ownActs(context).listWebhookDeliveries({ id });
    const times = items.flatMap(({ createdAt, lastAttemptAt }) => [createdAt, lastAttemptAt]);
    return times.reduce<string | null>((newest, instant) => {
      const at = instant === null ? null : idAt(instant);
      return at !== null && (newest === null || at > newest) ? at : newest;
    }, null);
  },
};

const isLooked = (name: string | undefined): name is Looked =>
  name !== undefined && Object.hasOwn(looks, name);

/** Of an investor's feed what its page shows: all that happens to one company, or what becomes of requests and grants. */
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

/** Tells an open page that what it shows has changed; the page then asks for itself again. */
async function sendChanges(context: OwnerContext) {
  const { request, reply, query } = context;
  const look = isLooked(query.look) ? looks[query.look] : null;
  const leaving = new AbortController();
  const [{ after, events }, newest] = await Promise.all([
    watch(context, leaving.signal),
    look?.(context) ?? null,
  ]).catch((error: unknown) => {
    // The stream that was opened would count against all others.
    leaving.abort();
    throw error;
  });
  const changes = new LiveChanges({
    events,
    newest,
    isBehind: [after, newest].some((id) => isLater(id, query.page)),
    readNewest: look && (() => look(context)),
    lookMilliseconds: 3_000,
    end: () => leaving.abort(),
  });
  return sendEventStream(request, reply, changes, { heartbeat: ': alive\n\n' });
}

export const liveRoutes = forOwners.get('/events', sendChanges);
