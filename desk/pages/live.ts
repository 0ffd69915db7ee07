import { sendEventStream } from '#http';
import { LiveChanges } from '../live-changes.ts';
import { forContacts } from '../route.ts';

/** Ids are ordered by time behind their prefix, so the id of the request of a page tells what came after it. */
export function isLater(id: string | null, page: string | undefined): boolean {
  return id !== null && page !== undefined && timeOf(id) > timeOf(page);
}

const timeOf = (id: string): string => id.slice(id.indexOf('_') + 1);

/** A new record is younger than this, and never archived. */
const newMilliseconds = 12 * 3_600_000;

/** Tells an open page that what it shows has changed; the page then asks for itself again. */
export const liveRoutes = [
  forContacts.get('/events', async (context) => {
    const { caller, useCases, request, reply, query, currentTime } = context;
    const leaving = new AbortController();
    const readNewest = async () => {
      const since = new Date(currentTime().getTime() - newMilliseconds);
      const { items } = await useCases.company.listReceivedRecords(caller, { since, limit: 1 });
      return items[0]?.id ?? null;
    };
    const showsReads = query.reads !== undefined;
    const [{ after, events }, newest] = await Promise.all([
      useCases.company.watchCompanyEvents(caller, {}, leaving.signal),
      showsReads ? readNewest() : null,
    ]).catch((error: unknown) => {
      // The stream that was opened would count against all others.
      leaving.abort();
      throw error;
    });
    const changes = new LiveChanges({
      events,
      newest,
      isBehind: [after, newest].some((id) => isLater(id, query.page)),
      readNewest: showsReads ? readNewest : null,
      lookMilliseconds: 3_000,
      end: () => leaving.abort(),
    });
    return sendEventStream(request, reply, changes, { heartbeat: ': alive\n\n' });
  }),
];
