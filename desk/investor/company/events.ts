import { companyOf, type FeedEvent } from '#core';
import { sendEventStream } from '#http';
import type { InvestorContext } from '../../context.ts';
import { LiveChanges } from '../../live-changes.ts';
import { isLater } from '../../pages/live.ts';
import { forInvestors } from '../../route.ts';

/** Of the investor's feed, what is about one company. */
async function* eventsOf(
  companyId: string,
  events: AsyncIterable<FeedEvent>,
): AsyncGenerator<FeedEvent, undefined> {
  for await (const event of events) if (companyOf(event) === companyId) yield event;
}

/** Tells the open page of a company that its access or its data has changed. */
async function sendEvents(context: InvestorContext) {
  const { caller, useCases, request, reply, query, id: companyId } = context;
  await useCases.investor.readPortfolioCompany(caller, { companyId });
  const leaving = new AbortController();
  const { after, events } = await useCases.investor
    .watchInvestorEvents(caller, {}, leaving.signal)
    .catch((error: unknown) => {
      // The stream that was opened would count against all others.
      leaving.abort();
      throw error;
    });
  const changes = new LiveChanges({
    events: eventsOf(companyId, events),
    newest: null,
    isBehind: isLater(after, query.page),
    readNewest: null,
    lookMilliseconds: 0,
    end: () => leaving.abort(),
  });
  return sendEventStream(request, reply, changes, { heartbeat: ': alive\n\n' });
}

export const companyEventRoutes = [forInvestors.get('/portfolio/:id/events', sendEvents)];
